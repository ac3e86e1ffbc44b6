/* the page of a run: words, scene, player, plots, events. plane.ts and space.ts bring the view. */
import './style.css';
import './run.css';
import { Run } from './data';
import { h, type Child } from './dom';
import { count, number } from './format';
import { icon } from './icons';
import { Player } from './player';
import { picker, Plots, type Mark } from './plots';
import { same, TOGGLES, type Scene, type Target, type Toggle } from './scene';
import { getLook, onTheme, isPrinting, setLook, type Look } from './theme';
import { parse, plural, singularOf, words, type Fact } from './words';

declare global {
  interface Window {
    tenon: {
      rows: number;
      time(): number;
      index(): number;
      seek(sample: number): void;
      seekTime(t: number): void;
      play(): void;
      pause(): void;
      playing(): boolean;
      poses(): number[][];
      firstFrame: number;
      charts(): {
        title: string;
        now: number;
        range: [number, number];
        drawTime: number;
        ticks: string[];
        zoom(a: number, b: number): void;
      }[];
    };
  }
}

const TOGGLE_WORDS: Record<Toggle, string> = {
  traces: 'traces',
  poses: 'poses',
  reactions: 'reactions',
  axes: 'axes',
  names: 'names',
  ground: 'ground',
  world: 'grid',
};

const KEYS: [string, string][] = [
  ['space', 'play, pause'],
  ['← →', 'one sample back, on (shift: ten)'],
  [', .', 'slower, faster'],
  ['Home End', 'first, last sample'],
  ['f', 'all of the motion; again: the pose of now'],
  ['t p r a n g w', 'traces, poses over one another, reactions, axes, names, ground, grid'],
  ['Escape', 'show all of the plots; let go of what is chosen'],
  ['+ −', 'zoom; in a plot about its cursor'],
  ['?', 'this list'],
];

const MOST_EVENTS = 500;
const MOST_TALL = 280; // px of their list

/* a number and its unit stay on one line */
const tied = (text: string): string => text.replace(/(\d) (s|ms|µs|J|N|m|%|1\/s)(?![\w])/g, '$1\u00a0$2');

function facts(list: Fact[]): Child[] {
  return list.map((f) => h('p', f.bad ? { class: 'bad' } : {}, tied(f.text)));
}

/* one is told, more are folded */
function warnings(list: Fact[]): Child[] {
  if (!list.length) return [];
  if (list.length === 1) return facts([{ text: `Warning: ${list[0].text}`, bad: true }]);
  return [h('details', {}, h('summary', { class: 'bad' }, `${list.length} warnings`), ...facts(list.slice(0, 200)))];
}

async function copy(text: string, from: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const range = document.createRange();
    range.selectNodeContents(from);
    const selection = getSelection();
    selection?.removeAllRanges();
    selection?.addRange(range);
    return document.execCommand('copy');
  }
}

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

interface Happening extends Mark {
  what: string; // in one word
  text: string;
}

/* what happened on the way; where steps were rejected or a guard called between two samples */
function marksOf(run: Run): Happening[] {
  const { events, summary } = run.page;
  const out: Happening[] = events.map((e) => ({
    x: e.t,
    label: `${e.kind}: ${e.text}`,
    kind: 'event',
    what: e.kind,
    text: e.text,
  }));
  for (const s of singularOf(summary).list) {
    if (events.some((e) => e.kind === 'singular' && Math.abs(e.t - s.t) <= 1e-9 * Math.max(1, Math.abs(s.t)))) continue;
    const text = `singular position${s.joints ? ` of ${s.joints}` : ''}${s.where ? `, ${s.where}` : ''}`;
    out.push({ x: s.t, label: text, kind: 'singular', what: 'singular', text });
  }
  out.sort((a, b) => a.x - b.x);
  run.columns('effort').forEach((c, k) => {
    const one = /rejected/.test(c.name) ? 'rejected step' : /guard/.test(c.name) ? 'guard call' : '';
    if (!one) return;
    const v = run.values('effort', k);
    for (let i = 0; i < run.rows; i++) {
      const n = v[i] - (i ? v[i - 1] : 0);
      if (!(n > 0)) continue;
      const text = plural(n, one);
      out.push({ x: run.time[i], label: text, kind: 'effort', many: { n, one }, what: one, text });
    }
  });
  return out;
}

/* those that are counted, one line for each kind; the summary knows of those that no row tells of */
function counted(run: Run, marks: Happening[]): { t: number; what: string; text: string }[] {
  const summary = parse(run.page.summary) ?? {};
  return [
    ['guard call', 'guard', 'guard_calls'],
    ['rejected step', 'rejected', 'rejected'],
  ].flatMap(([one, what, key]) => {
    const some = marks.filter((m) => m.many?.one === one);
    const told = summary[key];
    const n = Math.max(
      typeof told === 'number' ? told : 0,
      some.reduce((sum, m) => sum + (m.many?.n ?? 0), 0),
    );
    if (!n) return [];
    const at = (m: Happening): string => `t = ${number(m.x, 6)} s`;
    const last = some[some.length - 1];
    const when = !some.length ? '' : some.length === 1 ? `, by ${at(last)}` : `, first by ${at(some[0])}, last by ${at(last)}`;
    return [{ t: some[0]?.x ?? NaN, what, text: plural(n, one) + when }];
  });
}

function repeat(run: Run): Child[] {
  const p = run.page;
  const command = h('code', { class: 'command', tabindex: 0 }, p.command);
  const said = h('span', { class: 'said', role: 'status' });
  const button = h('button', { type: 'button' }, 'copy');
  button.addEventListener('click', async () => {
    said.textContent = (await copy(p.command, command)) ? 'copied' : 'select and copy it';
    setTimeout(() => (said.textContent = ''), 2000);
  });
  const out: Child[] = [];
  if (p.command) out.push(h('p', { class: 'repeat' }, command, button, said));
  out.push(h('p', {}, 'With the model below, saved under that name: it has in it what the command line changed.'));
  if (p.model) {
    const file = (p.name.split(/[\\/]/).pop() || 'model').replace(/[^\w.-]+/g, '_');
    const text = h('pre', { tabindex: 0 });
    const details = h(
      'details',
      { class: 'model' },
      h('summary', {}, `The model, ${count(p.model.split('\n').length)} lines`),
      h(
        'p',
        {},
        h(
          'button',
          { type: 'button', click: () => save(p.model, /\.json$/.test(file) ? file : `${file}.json`) },
          'download',
        ),
      ),
      text,
    );
    details.addEventListener('toggle', () => {
      if (!text.textContent) text.textContent = p.model;
    });
    out.push(details);
  }
  out.push(h('p', { class: 'note' }, `Made by Tenon ${p.tenon}.`));
  return out;
}

function lookButton(): HTMLElement {
  const next: Record<Look, Look> = { system: 'light', light: 'dark', dark: 'system' };
  const button = h('button', { type: 'button', class: 'look' });
  const tell = (): void => {
    const look = getLook();
    button.replaceChildren(icon(look), h('span', {}, look === 'system' ? 'as the system' : look));
    button.title = 'light or dark';
    button.setAttribute('aria-label', `colours: ${look === 'system' ? 'as the system' : look}`);
  };
  button.addEventListener('click', () => {
    setLook(next[getLook()]);
    tell();
  });
  tell();
  return button;
}

export function page(makeScene: (run: Run) => Scene): void {
  const run = new Run();
  const p = run.page;
  const told = words(run);
  document.title = `${p.title || p.name} · Tenon`;
  if (!document.documentElement.lang) document.documentElement.lang = 'en';

  /* the view first, the rest when it stands */
  const scene = makeScene(run);
  const marks = marksOf(run);
  let pinned = run.rows ? run.time[0] : 0;
  let previewing = false;

  const draw = (t: number): void => {
    const [row, part] = at(t);
    scene.show(row, part);
  };
  const at = (t: number): [number, number] => {
    const keep = player.t;
    player.t = t;
    const where = player.where();
    player.t = keep;
    return where;
  };
  const player = new Player(
    run.time,
    run.rows,
    p.every,
    (t) => {
      pinned = t;
      previewing = false;
      draw(t);
      plots.sync.cursor(t);
    },
    marks.map((m) => ({ t: m.x, label: m.label, faint: m.kind === 'effort' })),
  );
  const plots = new Plots(
    run,
    marks,
    (x) => {
      player.pause();
      player.seekTime(x);
    },
    (x) => {
      /* the pose follows the pointer, and goes back when it leaves */
      if (player.playing) return;
      if (x === null && !previewing) return;
      previewing = x !== null;
      player.preview(x);
      draw(x ?? pinned);
    },
  );

  /* -- the scene's frame -- */
  const toggles = h('div', { class: 'toggles', role: 'group', 'aria-label': 'what is shown' });
  const switches = {} as Partial<Record<Toggle, HTMLButtonElement>>;
  const flip = (name: Toggle): void => {
    scene.set(name, !scene.on[name]);
    switches[name]?.setAttribute('aria-pressed', String(scene.on[name]));
  };
  for (const name of TOGGLES) {
    if (name === 'poses' && !scene.superposes) continue;
    const button = h(
      'button',
      { type: 'button', 'aria-pressed': String(scene.on[name]), click: () => flip(name) },
      TOGGLE_WORDS[name],
    );
    switches[name] = button;
    toggles.append(button);
  }
  toggles.append(
    h(
      'button',
      {
        type: 'button',
        class: 'fit',
        title: 'all of the motion; again: the pose of now (f)',
        click: () => scene.fit(true),
      },
      'fit',
    ),
  );

  const card = h('div', { class: 'card', hidden: true, role: 'region', 'aria-label': 'chosen' });
  const choose = (target: Target | null): void => {
    scene.select(target);
    card.hidden = !target;
    card.textContent = '';
    list.value = target ? `${target.kind} ${target.index}` : '';
    if (!target) return;
    const traced = h('button', { type: 'button', 'aria-pressed': String(scene.isTraced(target)) }, 'trace');
    traced.addEventListener('click', () => {
      const on = scene.trace(target);
      traced.setAttribute('aria-pressed', String(on));
      if (on && !scene.on.traces) flip('traces');
    });
    const close = h(
      'button',
      { type: 'button', class: 'close', 'aria-label': 'let go', title: 'let go (Escape)', click: () => choose(null) },
      icon('close'),
    );
    const head = h('strong', {});
    const what = h('span', { class: 'note' });
    const acts = h('span', { class: 'acts' });
    if (target.kind === 'body') {
      head.textContent = run.body(target.index);
      what.textContent = 'body';
      acts.append(traced, h('button', { type: 'button', click: () => plots.body(target.index) }, 'plot'));
    } else {
      const j = p.joints[target.index];
      head.textContent = j.name;
      what.textContent =
        j.bodies[0] < 0 && j.bodies[1] < 0 ? j.type : `${j.type}, ${run.body(j.bodies[0])} to ${run.body(j.bodies[1])}`;
      if (j.at.length) acts.append(traced);
      if (run.hasJoints()) acts.append(h('button', { type: 'button', click: () => plots.joint(target.index) }, 'plot'));
    }
    card.append(h('div', { class: 'card-text' }, head, what), acts, close);
  };
  const list = h(
    'select',
    { 'aria-label': 'choose a body or joint', class: 'chooser' },
    h('option', { value: '' }, 'choose …'),
  );
  const group = (label: string, names: string[], kind: string): void => {
    if (!names.length) return;
    const g = h('optgroup', { label });
    names
      .slice(0, 2000)
      .forEach((n, i) => g.append(h('option', { value: `${kind} ${i}` }, n.length > 60 ? `${n.slice(0, 59)}…` : n)));
    list.append(g);
  };
  list.addEventListener('change', () => {
    const [kind, index] = list.value.split(' ');
    choose(kind ? { kind: kind as Target['kind'], index: Number(index) } : null);
  });
  scene.onSelect = (target) => choose(same(target, scene.selected) ? null : target);
  toggles.append(list);

  const keys = h(
    'dialog',
    { class: 'keys', 'aria-label': 'keys' },
    h('h2', {}, 'Keys'),
    h('dl', {}, ...KEYS.flatMap(([k, w]) => [h('dt', {}, k), h('dd', {}, w)])),
    h('form', { method: 'dialog' }, h('button', { class: 'primary' }, 'close')),
  );
  const help = h(
    'button',
    { type: 'button', class: 'look', 'aria-label': 'list of keys', title: 'keys (?)', click: () => keys.showModal() },
    '?',
    h('span', {}, ' keys'),
  );

  const still = h('img', { class: 'still', alt: 'the mechanism' });
  const when = h('p', { class: 'still-when' });
  onTheme(() => {
    if (!isPrinting()) return;
    try {
      still.src = scene.still();
    } catch {
      still.removeAttribute('src');
    }
    when.textContent = `t = ${number(pinned, 6)} s`;
  });

  /* -- words -- */
  const v = told.verdict;
  const verdict = h(
    'section',
    { class: `verdict ${v.mood}`, 'aria-label': 'verdict' },
    h(
      'strong',
      {},
      h('span', { class: 'sign', 'aria-hidden': 'true' }, { good: '✓', doubt: '!', bad: '✕', unknown: '?' }[v.mood]),
      v.title,
    ),
    h('span', {}, tied(v.text)),
    v.reasons.length ? h('ul', {}, ...v.reasons.map((r) => h('li', {}, tied(r)))) : null,
  );
  const part = (title: string, children: Child[]): Child =>
    children.length ? h('section', {}, h('h2', {}, title), ...children) : null;
  const long = (text: string): string => (text.length > 300 ? `${text.slice(0, 299)}…` : text);
  const top = h(
    'header',
    { class: 'top' },
    h(
      'div',
      { class: 'title' },
      h('h1', {}, long(p.title || p.name)),
      p.title && p.name ? h('span', { class: 'file' }, long(p.name)) : null,
    ),
    h('div', { class: 'top-tools' }, help, lookButton()),
  );
  const report = h(
    'div',
    { class: 'words' },
    part('What was run', facts(told.run)),
    part('What it is worth', [...facts(told.worth), ...warnings(told.warnings)]),
    part('What it cost', facts(told.cost)),
    part('How to repeat it', repeat(run)),
  );
  const remarks = p.remarks.length
    ? h('ul', { class: 'remarks' }, ...p.remarks.slice(0, 50).map((r) => h('li', {}, r)))
    : null;

  const stage = h(
    'section',
    { class: 'stage', 'aria-label': 'motion' },
    toggles,
    h('div', { class: 'frame' }, scene.root, card, still, when),
    player.root,
    remarks,
  );
  const side = h('section', { class: 'side', 'aria-label': 'plots' });
  const body = h('main', {}, top, verdict, report, h('div', { class: 'work' }, stage, side), keys);
  document.body.append(body);
  /* the scene takes what the words and the player leave of the window */
  const leave = (): void => {
    const above = scene.root.getBoundingClientRect().top + scrollY,
      below = player.root.getBoundingClientRect().height;
    document.documentElement.style.setProperty('--rest', `${Math.ceil(above + below + 16)}px`);
  };
  leave();
  addEventListener('resize', leave);
  if (!run.rows)
    scene.root.append(h('p', { class: 'scene-note' }, 'No rows were recorded: there is no motion to show.'));

  const api = {
    rows: run.rows,
    time: () => player.t,
    index: () => player.index,
    seek: (i: number) => player.seek(i),
    seekTime: (t: number) => player.seekTime(t),
    play: () => player.play(),
    pause: () => player.pause(),
    playing: () => player.playing,
    poses: () => scene.poses(),
    firstFrame: 0,
    charts: () =>
      plots.charts.map((c) => ({
        title: c.o.title,
        now: c.at,
        range: c.range,
        drawTime: c.drawTime,
        ticks: c.ticks,
        zoom: (a: number, b: number) => c.zoom(a, b),
      })),
  };
  window.tenon = api;

  scene.start();
  player.seek(0);
  requestAnimationFrame(() => {
    api.firstFrame = performance.now();
    setTimeout(() => void rest());
  });

  async function rest(): Promise<void> {
    group(
      'bodies',
      p.bodies.map((b) => b.name),
      'body',
    );
    group(
      'joints',
      p.joints.map((j) => j.name),
      'joint',
    );
    side.append(plots.root);
    plots.sync.cursor(player.t);
    side.append(
      picker(run, (chosen) => plots.channels(chosen)),
      events(),
    );
    await plots.start();
    plots.sync.cursor(player.t);
    document.documentElement.dataset.ready = '';
  }

  function events(): HTMLElement {
    const single = marks.filter((m) => m.kind !== 'effort').map((m) => ({ t: m.x, what: m.what, text: m.text }));
    const n = single.length;
    const lines = [...counted(run, marks), ...single.slice(0, MOST_EVENTS)];
    const box = h('section', { class: 'events' }, h('h2', {}, n ? `Events (${count(n)})` : 'Events'));
    if (!lines.length) {
      const text = parse(p.summary)
        ? 'No branch of a law changed, no step was rejected, no guard was called, no position was singular.'
        : 'None are known.';
      box.append(h('p', { class: 'note' }, text));
      return box;
    }
    const rows = lines.map((e) =>
      h(
        'tr',
        {},
        h(
          'td',
          {},
          Number.isFinite(e.t)
            ? h(
                'button',
                { type: 'button', class: 'link', click: () => (player.pause(), player.seekTime(e.t)) },
                tied(`${number(e.t, 6)} s`),
              )
            : null,
        ),
        h('td', {}, e.what),
        h('td', {}, tied(e.text)),
      ),
    );
    const table = h(
      'table',
      {},
      h('thead', {}, h('tr', {}, h('th', {}, 't'), h('th', {}, 'kind'), h('th', {}, 'what'))),
      h('tbody', {}, ...rows),
    );
    const scroll = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'events' }, table);
    const more = (): void => {
      scroll.classList.toggle('more', scroll.scrollHeight - scroll.clientHeight - scroll.scrollTop > 2);
    };
    scroll.addEventListener('scroll', more);
    new ResizeObserver(() => {
      const last = rows.find((r) => r.offsetTop + r.offsetHeight > MOST_TALL);
      if (last) scroll.style.setProperty('--cut', `${Math.round(last.offsetTop + 0.6 * last.offsetHeight)}px`);
      else scroll.style.removeProperty('--cut');
      more();
    }).observe(table);
    box.append(scroll);
    if (n > MOST_EVENTS) box.append(h('p', { class: 'note' }, `The first ${MOST_EVENTS} of ${count(n)}.`));
    const rest = singularOf(p.summary).more;
    if (rest > 0) box.append(h('p', { class: 'note' }, `${plural(rest, 'more singular position')} not listed.`));
    return box;
  }

  /* -- keys -- */
  addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
    const on = e.target instanceof HTMLElement ? e.target : document.body;
    const slider = on instanceof HTMLInputElement && on.type === 'range';
    if (!slider && on.matches('input, select, textarea, [contenteditable]')) return;
    if (keys.open) return;
    if (e.key === ' ' && on.matches('button, summary, a')) return;
    const by = e.shiftKey ? 10 : 1;
    const acts: Record<string, () => void> = {
      ' ': () => player.toggle(),
      ArrowLeft: () => player.step(-by),
      ArrowRight: () => player.step(by),
      Home: () => (player.pause(), player.seek(0)),
      End: () => (player.pause(), player.seek(run.rows - 1)),
      ',': () => player.faster(-1),
      '.': () => player.faster(1),
      '?': () => keys.showModal(),
      f: () => scene.fit(true),
      '+': () => scene.zoomBy(1.25),
      '=': () => scene.zoomBy(1.25),
      '-': () => scene.zoomBy(0.8),
      t: () => flip('traces'),
      p: () => scene.superposes && flip('poses'),
      r: () => flip('reactions'),
      a: () => flip('axes'),
      n: () => flip('names'),
      g: () => flip('ground'),
      w: () => flip('world'),
      Escape: () => {
        if (scene.selected) choose(null);
        else plots.sync.reset();
      },
    };
    const act = acts[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  });
}
