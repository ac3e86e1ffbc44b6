// a picture of a page as it is first seen: node picture.mjs PAGE.html OUT.png
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch } from './test/browser.mjs';

const [page, out] = process.argv.slice(2);
const browser = await launch();
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  const tab = await context.newPage();
  await tab.goto(pathToFileURL(resolve(page)).href);
  await tab.waitForFunction(() => window.tenon?.firstFrame > 0);
  await tab.evaluate(() => window.tenon.seekTime(1.1)); // s: somewhere on the way
  await tab.waitForTimeout(300);
  await tab.screenshot({ path: out });
} finally {
  await browser.close();
}
