// A few words for making elements.

/** Makes an element: `h("p", { class: "note" }, "text", child)`. A property that begins with `on` is a listener. */
export function h(tag, properties, ...children) {
  const element = tag.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Replaces what is in an element. What has the focus keeps it, or what stands in its place does. */
export function fill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  element.replaceChildren();
  add(element, children);
  if (focused && document.activeElement !== focused) {
    const heir = element.contains(focused) ? focused : element.querySelector(likeness(focused));
    heir?.focus({ preventScroll: true });
  }
  return element;
}

/** What an element is known by when it is made again: its id, its data, or its class. */
function likeness(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const data = [...element.attributes].filter((it) => it.name.startsWith("data-"));
  const classes = data.length ? [] : [...element.classList].slice(0, 1).map((it) => `.${CSS.escape(it)}`);
  return element.localName + classes.join("") + data.map((it) => `[${it.name}="${CSS.escape(it.value)}"]`).join("");
}

/** A button. */
export function button(words, onclick, properties) {
  return h("button", { type: "button", onclick, ...properties }, words);
}

/** A box that scrolls sideways. Its edge fades where there is more to see. */
export function scroller(...children) {
  const box = h("div", { class: "scroll" }, children);
  const look = () => box.classList.toggle("more", box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
  box.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(box);
  return box;
}

/** `1,234,567`. */
export const number = (value) => value.toLocaleString("en");

/** A formula: lines are not broken inside an arrow. */
export const formula = (text) => h("code", {}, text.split(/(<->|->|~>)/).map((piece, k) => (k % 2 ? h("span", { class: "whole" }, piece) : piece)));

/** A name, which is broken before its index if it must be. */
export const indexed = (name) => name.split(/(?=\[)/).map((piece, k) => (k ? [h("wbr", {}), piece] : piece));

/** Puts `code` in sentences into code elements. */
export function prose(sentence) {
  return sentence.split("`").map((piece, k) => (k % 2 ? h("code", {}, piece) : piece));
}
