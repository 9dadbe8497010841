import { type RefObject, useEffect } from 'react';

const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), [tabindex="0"], [tabindex="-1"]:is(a, button)';
const ROWS = 'tbody tr, li';

/**
 * When a row with the focus is removed, the focus stays in the list: it moves to the row in its place, else to the last
 * row, else to the placeholder. The browser would reset it to the top of the page.
 */
export function useKeptFocus(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    let last: { readonly focused: HTMLElement; readonly at: number } | null = null;
    const rows = () => [...element.querySelectorAll<HTMLElement>(ROWS)];
    const remember = ({ target }: FocusEvent) => {
      const focused = target instanceof HTMLElement && element.contains(target) ? target : null;
      const row = focused?.closest<HTMLElement>(ROWS);
      last = focused && row ? { focused, at: rows().indexOf(row) } : null;
    };
    const away = ({ target }: Event) => {
      if (!element.contains(target as Node)) last = null;
    };
    const observer = new MutationObserver(() => {
      if (last === null || last.focused.isConnected) return;
      const { at } = last;
      last = null;
      if (document.activeElement !== null && document.activeElement !== document.body) return;
      const left = rows();
      const next = left[Math.min(at, left.length - 1)] ?? element;
      (next.querySelector<HTMLElement>(FOCUSABLE) ?? element.querySelector<HTMLElement>(FOCUSABLE))?.focus();
    });
    document.addEventListener('focusin', remember);
    document.addEventListener('pointerdown', away, true);
    observer.observe(element, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', remember);
      document.removeEventListener('pointerdown', away, true);
      observer.disconnect();
    };
  }, [list]);
}
