/* time: which sample is shown, and how it goes on. */
import { h } from './dom';
import { number } from './format';
import { icon, type Icon } from './icons';
import { nearest } from './plot';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];
const FIT = 10; // s that a run takes when fitted

export class Player {
  t: number;
  playing = false;
  loop = true;
  readonly root: HTMLElement;
  readonly t0: number;
  readonly t1: number;
  private rate = 1;
  private last = 0;
  private frame = 0;
  private shown = false; // what the button says
  private slider: HTMLInputElement;
  private playButton: HTMLButtonElement;
  private clock: HTMLElement;
  private ghost = h('b', { class: 'ghost', hidden: true });
  private looked: number | null = null; // a time that is only looked at
  private sample: HTMLElement;
  private loopButton: HTMLButtonElement;
  private speed: HTMLSelectElement;

  constructor(
    private time: Float64Array,
    private rows: number,
    private every: number,
    private changed: (t: number) => void,
    marks: { t: number; label: string; faint?: boolean }[],
  ) {
    this.t0 = rows ? time[0] : 0;
    this.t1 = rows ? time[rows - 1] : 0;
    this.t = this.t0;

    const button = (label: string, sign: Icon, act: () => void): HTMLButtonElement =>
      h('button', { type: 'button', class: 'tool', 'aria-label': label, title: label, click: act }, icon(sign));
    this.playButton = button('play (space)', 'play', () => this.toggle());
    this.playButton.classList.add('play');
    this.loopButton = button('repeat at the end', 'loop', () => this.setLoop(!this.loop));
    this.slider = h('input', {
      type: 'range',
      min: 0,
      max: Math.max(1, rows - 1),
      step: 1,
      value: 0,
      'aria-label': 'time',
    });
    this.slider.addEventListener('input', () => {
      this.pause();
      this.seek(this.slider.valueAsNumber);
    });
    this.slider.disabled = rows < 2;
    this.clock = h('output', { class: 'clock', 'aria-live': 'off' });
    this.sample = h('span', { class: 'sample' });
    this.speed = h('select', { 'aria-label': 'speed', class: 'tool' });
    const fit = (this.t1 - this.t0) / FIT;
    for (const s of SPEEDS) this.speed.append(h('option', { value: s }, `${s}×`));
    if (fit > 0) this.speed.append(h('option', { value: 'fit' }, `${FIT} s in all (${number(fit, 2)}×)`));
    const span = this.t1 - this.t0;
    this.speed.value = span >= 2 && span <= 40 ? '1' : fit > 0 ? 'fit' : '1';
    const read = (): void => {
      this.rate = this.speed.value === 'fit' ? fit : Number(this.speed.value);
    };
    this.speed.addEventListener('change', read);
    read();

    const rail = h('div', { class: 'marks', 'aria-hidden': 'true' });
    const seen = new Set<number>();
    for (const m of [...marks.filter((k) => !k.faint), ...marks.filter((k) => k.faint)]) {
      const part = this.part(m.t);
      const slot = Math.round(part * 200);
      if (!(part >= 0 && part <= 1) || seen.has(slot)) continue;
      seen.add(slot);
      const tick = h('i', { title: m.label, class: m.faint ? 'faint' : '', click: () => this.seekTime(m.t) });
      tick.style.left = `${part * 100}%`;
      rail.append(tick);
    }
    this.root = h(
      'div',
      { class: 'player', role: 'group', 'aria-label': 'player' },
      h('div', { class: 'scrub' }, rail, this.slider, h('div', { class: 'marks', 'aria-hidden': 'true' }, this.ghost)),
      h(
        'div',
        { class: 'player-row' },
        button('to the start (Home)', 'first', () => this.seek(0)),
        button('one sample back (left)', 'back', () => this.step(-1)),
        this.playButton,
        button('one sample on (right)', 'next', () => this.step(1)),
        button('to the end (End)', 'last', () => this.seek(rows - 1)),
        this.loopButton,
        this.speed,
        h('span', { class: 'when' }, this.clock, this.sample),
      ),
    );
    this.setLoop(true);
    this.tell();
  }

  /* part of the way of the slider: it goes by samples */
  private part(t: number): number {
    if (this.rows < 2) return 0;
    return nearest(this.time.subarray(0, this.rows), t) / (this.rows - 1);
  }

  get index(): number {
    return this.rows ? nearest(this.time.subarray(0, this.rows), this.t) : 0;
  }

  /* last sample at or before now, and how far on the way to the next */
  where(): [number, number] {
    let a = 0,
      b = this.rows - 1;
    if (this.t >= this.t1) return [Math.max(0, b), 0];
    while (b - a > 1) {
      const m = (a + b) >> 1;
      if (this.time[m] <= this.t) a = m;
      else b = m;
    }
    const d = this.time[a + 1] - this.time[a];
    return [a, d > 0 ? Math.max(0, (this.t - this.time[a]) / d) : 0];
  }

  seek(i: number): void {
    if (!this.rows) return;
    const k = Math.min(this.rows - 1, Math.max(0, Math.round(i)));
    this.seekTime(this.time[k]);
  }
  /* clock and slider tell of a time that is shown and not chosen; null: no more */
  preview(t: number | null): void {
    this.looked = t;
    this.root.classList.toggle('preview', t !== null);
    this.ghost.hidden = t === null;
    if (t !== null) this.ghost.style.left = `${100 * this.part(t)}%`;
    this.tell();
  }
  seekTime(t: number): void {
    if (this.looked !== null) this.preview(null);
    this.t = Math.min(this.t1, Math.max(this.t0, t));
    this.tell();
    this.changed(this.t);
  }
  step(by: number): void {
    this.pause();
    this.seek(this.index + by);
  }
  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }
  play(): void {
    if (this.playing || this.rows < 2) return;
    if (this.looked !== null) this.preview(null);
    if (this.t >= this.t1) this.t = this.t0;
    this.playing = true;
    this.last = performance.now();
    this.frame = requestAnimationFrame((now) => this.tick(now));
    this.tell();
  }
  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.frame);
    this.tell();
  }
  faster(by: number): void {
    const i = SPEEDS.indexOf(Number(this.speed.value));
    const to = i < 0 ? 3 : Math.min(SPEEDS.length - 1, Math.max(0, i + by));
    this.speed.value = String(SPEEDS[to]);
    this.rate = SPEEDS[to];
  }
  setLoop(on: boolean): void {
    this.loop = on;
    this.loopButton.setAttribute('aria-pressed', String(on));
  }

  private tick(now: number): void {
    if (!this.playing) return;
    const passed = Math.min(0.25, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    let t = this.t + passed * this.rate;
    if (t >= this.t1) {
      if (this.loop) t = this.t0 + ((t - this.t0) % Math.max(this.t1 - this.t0, 1e-300));
      else {
        t = this.t1;
        this.playing = false;
      }
    }
    this.t = t;
    this.tell();
    this.changed(t);
    if (this.playing) this.frame = requestAnimationFrame((next) => this.tick(next));
  }

  private tell(): void {
    const i = this.index,
      t = this.looked ?? this.t,
      at = this.looked === null ? i : nearest(this.time.subarray(0, this.rows), t);
    const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(Math.max(this.t1 - this.t0, 1e-9)))));
    this.slider.value = String(i);
    this.clock.textContent = `${t.toFixed(digits)}\u00a0s`;
    const note = this.every > 1 ? `, one row of ${this.every}` : '';
    this.sample.textContent = this.rows
      ? `${this.looked === null ? '' : 'preview: '}sample ${at + 1} of ${this.rows}${note}`
      : 'no samples';
    this.slider.setAttribute('aria-valuetext', `${this.t.toFixed(digits)} seconds, sample ${i + 1} of ${this.rows}`);
    if (this.shown === this.playing) return;
    this.shown = this.playing;
    const label = this.playing ? 'pause (space)' : 'play (space)';
    this.playButton.replaceChildren(icon(this.playing ? 'pause' : 'play'));
    this.playButton.setAttribute('aria-label', label);
    this.playButton.title = label;
  }
}
