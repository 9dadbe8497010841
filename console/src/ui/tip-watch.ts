/** Delay before a tooltip opens, and before it closes so that the pointer can reach it, in ms (design, section 6). */
export const WAIT_MS = 500;
export const GRACE_MS = 200;

/** Text of a tooltip and the element beside which it is shown. */
export interface Tip {
  readonly text: string;
  readonly anchor: { getBoundingClientRect(): DOMRect };
}

/** Number of ancestors checked for truncation: a cell, its content, a text in it. */
const LEVELS = 3;

function isCut(element: Element): boolean {
  let part: Element | null = element;
  for (let level = 0; part && level < LEVELS; level += 1, part = part.parentElement)
    if (part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0) return true;
  return false;
}

/** A text that is already completely visible needs no tooltip. */
function tellsMore(element: Element, text: string): boolean {
  return text !== '' && (element.textContent.trim() !== text || isCut(element));
}

/**
 * Watches the page and calls `show` with its tooltip: the `title` of the element under the pointer or with the keyboard
 * focus. Screen readers still read `title`; only while the pointer is on the element it is emptied, so that the browser
 * shows no tooltip of its own. Pressing, Escape, scrolling and leaving close the tooltip; moving onto it does not (WCAG
 * 1.4.13). A page that moves under a resting pointer opens no tooltip. Returns a function that stops watching.
 */
export function watchTips(show: (tip: Tip | null) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let held: { element: Element; text: string | null } | null = null;
  let anchor: Element | null = null;
  let at = { x: -1, y: -1 };
  const watch = new AbortController();
  const { signal } = watch;

  const hide = () => {
    clearTimeout(timer);
    anchor = null;
    gone.disconnect();
    show(null);
  };
  const later = (wait: number, run: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(run, wait);
  };
  const gone = new MutationObserver(() => {
    if (anchor?.isConnected === false) hide();
  });
  const open = (element: Element, text: string, left?: number) => {
    if (!element.isConnected || !tellsMore(element, text)) return;
    anchor = element;
    gone.observe(document.body, { childList: true, subtree: true });
    const box = element.getBoundingClientRect();
    const from = left === undefined ? box : new DOMRect(left, box.top, 0, box.height);
    show({ text, anchor: { getBoundingClientRect: () => from } });
  };

  /** A title that the screen changes in the meantime replaces the stored one. */
  const changed = new MutationObserver(() => {
    if (!held) return;
    const title = held.element.getAttribute('title');
    if (title === '') return;
    held.text = title;
    if (title !== null) held.element.setAttribute('title', '');
  });
  const release = () => {
    changed.disconnect();
    if (held && held.text !== null && held.element.getAttribute('title') === '')
      held.element.setAttribute('title', held.text);
    held = null;
  };
  const take = (element: Element | null) => {
    if (element === held?.element) return;
    release();
    const text = element?.getAttribute('title');
    if (!element || !text) return;
    held = { element, text };
    element.setAttribute('title', '');
    changed.observe(element, { attributes: true, attributeFilter: ['title'] });
  };

  const over = (event: PointerEvent) => {
    const { target, clientX: x, clientY: y } = event;
    const hasMoved = x !== at.x || y !== at.y;
    at = { x, y };
    if (!(target instanceof Element) || event.pointerType === 'touch') return;
    if (target.closest('[data-tip-box]')) {
      release();
      clearTimeout(timer);
      return;
    }
    const element = target.closest('[title]');
    const isSame = element !== null && element === held?.element;
    take(element);
    if (anchor && held?.element === anchor) clearTimeout(timer);
    if (isSame || (anchor && held?.element === anchor)) return;
    if (anchor) later(GRACE_MS, hide);
    else clearTimeout(timer);
    if (!held || !hasMoved || event.buttons !== 0) return;
    const holder = held;
    later(WAIT_MS, () => open(holder.element, holder.text ?? '', at.x));
  };
  const leave = () => {
    release();
    if (anchor) later(GRACE_MS, hide);
    else clearTimeout(timer);
  };
  const focus = ({ target }: FocusEvent) => {
    hide();
    if (!(target instanceof HTMLElement) || !target.matches(':focus-visible')) return;
    const text = () => (held?.element === target ? held.text : target.getAttribute('title')) ?? '';
    if (text() !== '') later(WAIT_MS, () => open(target, text()));
  };
  const key = ({ key: name }: KeyboardEvent) => {
    if (name === 'Escape') hide();
  };
  const press = ({ target }: Event) => {
    if (!(target instanceof Element) || !target.closest('[data-tip-box]')) hide();
  };

  document.addEventListener('pointerover', over, { signal });
  document.addEventListener('pointermove', ({ clientX: x, clientY: y }) => (at = { x, y }), {
    signal,
    passive: true,
  });
  document.documentElement.addEventListener('pointerleave', leave, { signal });
  document.addEventListener('pointerdown', press, { signal, capture: true });
  document.addEventListener('focusin', focus, { signal });
  document.addEventListener('focusout', hide, { signal });
  document.addEventListener('keydown', key, { signal, capture: true });
  window.addEventListener('scroll', hide, { signal, capture: true });
  window.addEventListener('blur', hide, { signal });
  return () => {
    watch.abort();
    release();
    hide();
  };
}
