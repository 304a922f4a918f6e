// Colours of heat maps by distance from the middle of the scale, with dark or light text for contrast.
export function colours(value: number, [below, middle, above]: [string, string, string]): Record<string, string> {
  const far = Math.min(1, Math.abs(value - 0.5) * 2);
  const end = channels(value < 0.5 ? below : above);
  const mixed = channels(middle).map((channel, i) => Math.round(channel + (end[i] - channel) * far));
  const [r, g, b] = mixed.map((channel) => ((channel / 255) <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4));
  const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return { background: `rgb(${mixed.join(",")})`, color: light > 0.179 ? "#000" : "#fff" };
}

// Up to this many columns, an interval fits next to its number instead of below it.
export const ROOMY = 5;

const channels = (colour: string): number[] => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
