/* what goes from one place to another without being a body; px. */

/* a spring; another force a dashed line */
export function zigzag(
  c: CanvasRenderingContext2D,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  coil: boolean,
  ink: string,
  paper: string,
): void {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (!(length > 1)) return;
  const ux = (x1 - x0) / length,
    uy = (y1 - y0) / length;
  c.beginPath();
  c.moveTo(x0, y0);
  if (coil) {
    const ends = Math.min(14, length * 0.15),
      n = 9,
      wide = Math.min(7, length * 0.12),
      gap = (length - 2 * ends) / n;
    c.lineTo(x0 + ux * ends, y0 + uy * ends);
    for (let i = 0; i < n; i++) {
      const d = ends + gap * (i + 0.5),
        w = i % 2 ? wide : -wide;
      c.lineTo(x0 + ux * d - uy * w, y0 + uy * d + ux * w);
    }
    c.lineTo(x1 - ux * ends, y1 - uy * ends);
  } else c.setLineDash([5, 4]);
  c.lineTo(x1, y1);
  c.lineJoin = 'round';
  c.strokeStyle = paper;
  c.lineWidth = 3.5;
  c.stroke();
  c.strokeStyle = ink;
  c.lineWidth = 1.5;
  c.stroke();
  c.setLineDash([]);
  c.fillStyle = ink;
  for (const [x, y] of [
    [x0, y0],
    [x1, y1],
  ]) {
    c.beginPath();
    c.arc(x, y, 2.5, 0, 2 * Math.PI);
    c.fill();
  }
}

/* a rod that a joint keeps at its length */
export function rod(
  c: CanvasRenderingContext2D,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  ink: string,
  paper: string,
): void {
  c.lineCap = 'round';
  for (const [color, width] of [
    [ink, 5],
    [paper, 2.6],
  ] as [string, number][]) {
    c.strokeStyle = color;
    c.lineWidth = width;
    c.beginPath();
    c.moveTo(x0, y0);
    c.lineTo(x1, y1);
    c.stroke();
  }
  c.lineWidth = 1.4;
  c.strokeStyle = ink;
  c.fillStyle = paper;
  for (const [x, y] of [
    [x0, y0],
    [x1, y1],
  ]) {
    c.beginPath();
    c.arc(x, y, 4, 0, 2 * Math.PI);
    c.fill();
    c.stroke();
  }
}
