// the Content-Security-Policy of a page: its own script and style by their hashes, pictures that it makes itself, nothing else: no
// other script, no code from texts, no network
import { createHash } from 'node:crypto';

const hash = (text) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

export const policy = (js, css) =>
  `default-src 'none'; script-src ${hash(js)}; style-src ${hash(css)}; img-src data:; base-uri 'none'; form-action 'none'`;

// a script ends at the first closing tag, wherever it stands: none may be inside. a browser reads every line end as \n and hashes that
export const safe = (text) =>
  text.replace(/\r\n?/g, '\n').replace(/<\/(script|style)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
