// Texts that are hard to read on what lies below them: those with a contrast of less than 4.5, with their contrast.
(() => {
  const numbers = (text) => { const n = text.match(/-?[\d.]+/g).map(Number); const scale = text.startsWith("color(") ? 255 : 1; return [n[0] * scale, n[1] * scale, n[2] * scale, n[3] ?? 1]; };
  const over = ([r, g, b, a], below) => [r, g, b].map((v, k) => v * a + below[k] * (1 - a));
  const ground = (it) => { if (!it) return [255, 255, 255]; const own = numbers(getComputedStyle(it).backgroundColor); return own[3] === 1 ? own.slice(0, 3) : over(own, ground(it.parentElement)); };
  const light = (rgb) => rgb.map((v) => { const c = v / 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; }).reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const faint = new Map();
  for (const it of document.querySelectorAll("body *")) {
    if (![...it.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const box = it.getBoundingClientRect();
    if (!box.width || !box.height || it.closest(".out, .skip, [hidden], :disabled, .stale, script, style, noscript, option")) continue;
    const below = ground(it);
    const [a, b] = [light(over(numbers(getComputedStyle(it).color), below)), light(below)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.set(`${it.tagName}.${it.getAttribute("class")}`, `${ratio.toFixed(2)} ${it.textContent.slice(0, 20)}`);
  }
  return Object.fromEntries(faint);
})()
