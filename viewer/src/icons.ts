/* signs on buttons; drawn, since fonts do not all have them. */

const PATHS = {
  play: 'M5 3v10l8-5z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  first: 'M3 3h2v10H3zM13 3v10L6 8z',
  last: 'M11 3h2v10h-2zM3 3v10l7-5z',
  back: 'M11.5 3v10h-2V3zM8.5 3.5v9L2.5 8z',
  next: 'M4.5 3v10h2V3zM7.5 3.5v9l6-4.5z',
  loop: 'M8 2.5a5.5 5.5 0 0 1 5 3.2V3h1.5v5.2H9.3V6.7h2.6A4 4 0 1 0 12 9.6l1.4.5A5.5 5.5 0 1 1 8 2.5z',
  close: 'M3.6 2.5 8 6.9l4.4-4.4 1.1 1.1L9.1 8l4.4 4.4-1.1 1.1L8 9.1l-4.4 4.4-1.1-1.1L6.9 8 2.5 3.6z',
  light:
    'M8 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM7.4 0h1.2v3H7.4zM7.4 13h1.2v3H7.4zM0 7.4h3v1.2H0zM13 7.4h3v1.2h-3z',
  dark: 'M6 1.5a6.7 6.7 0 1 0 8.5 8.5A5.6 5.6 0 0 1 6 1.5z',
  system: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zm0 1.4v11.2A5.6 5.6 0 0 0 8 2.4z',
};

export type Icon = keyof typeof PATHS;

export function icon(name: Icon): SVGElement {
  const ns = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(ns, 'svg');
  for (const [k, v] of Object.entries({
    viewBox: '0 0 16 16',
    width: 16,
    height: 16,
    'aria-hidden': 'true',
    class: 'icon',
  }))
    svg.setAttribute(k, String(v));
  const path = document.createElementNS(ns, 'path');
  path.setAttribute('d', PATHS[name]);
  path.setAttribute('fill', 'currentColor');
  svg.append(path);
  return svg;
}
