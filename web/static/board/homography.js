// @ts-check
/**
 * From the unit square of board space to a quadrilateral in the picture (Heckbert 1989, square to quadrilateral).
 * @param {{x: number, y: number}[]} corners of (0, 0), (1, 0), (1, 1), (0, 1)
 * @returns {(x: number, y: number) => {x: number, y: number}}
 */
export function fromUnitSquare([p, q, r, s]) {
  const ax = q.x - r.x, ay = q.y - r.y, bx = s.x - r.x, by = s.y - r.y;
  const sx = p.x - q.x + r.x - s.x, sy = p.y - q.y + r.y - s.y;
  const area = ax * by - bx * ay || 1e-9;
  const g = (sx * by - sy * bx) / area, h = (ax * sy - ay * sx) / area;
  return (x, y) => {
    const w = g * x + h * y + 1;
    return {
      x: ((q.x - p.x + g * q.x) * x + (s.x - p.x + h * s.x) * y + p.x) / w,
      y: ((q.y - p.y + g * q.y) * x + (s.y - p.y + h * s.y) * y + p.y) / w,
    };
  };
}
