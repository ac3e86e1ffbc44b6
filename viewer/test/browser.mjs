// Debian's browser, without a graphics card: GL in software, all else without GL. TENON_BROWSER names another
import { chromium } from 'playwright-core';

export const launch = () =>
  chromium.launch({
    executablePath: process.env.TENON_BROWSER ?? '/usr/bin/chromium',
    args: [
      '--headless', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
      '--disable-sync', '--enable-unsafe-swiftshader', '--use-angle=swiftshader', '--disable-accelerated-2d-canvas',
      '--disable-gpu-rasterization', '--disable-gpu-compositing',
    ],
  });
