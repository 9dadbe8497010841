import { type RefObject, useEffect } from 'react';

const FOCUSABLE = 'a[href], :is(button, input):not(:disabled), [tabindex="0"]';
const ROWS = 'tbody tr, li';
const ON_TOP = '[role$=dialog],[role=menu]';

/** Marks the element that holds a list together with its toolbar and the bar of its selection. */
export const LIST_AREA = { 'data-list-area': '' } as const;

const isOnTop = (target: EventTarget | null) => target instanceof Element && target.closest(ON_TOP) !== null;

/**
 * When the focused row is removed, or the bar of the selection, the focus stays in the list: it moves to the row in its
 * place, else to the last row, else to the placeholder. The browser would reset it to the top of the page. A dialog or
 * menu that was opened from there may be open meanwhile.
 */
export function useKeptFocus(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    const area = element.closest<HTMLElement>('[data-list-area]') ?? element;
    let last: { readonly focused: HTMLElement; readonly at: number } | null = null;
    const rows = () => [...element.querySelectorAll<HTMLElement>(ROWS)];
    const remember = ({ target }: FocusEvent) => {
      if (isOnTop(target)) return;
      const focused = target instanceof HTMLElement && area.contains(target) ? target : null;
      last = focused && {
        focused,
        at: Math.max(
          0,
          rows().findIndex((row) => row.contains(focused)),
        ),
      };
    };
    const away = ({ target }: Event) => {
      if (!area.contains(target as Node) && !isOnTop(target)) last = null;
    };
    const observer = new MutationObserver(() => {
      if (last === null || last.focused.isConnected || isOnTop(document.activeElement)) return;
      const { at } = last;
      last = null;
      if ((document.activeElement ?? document.body) !== document.body) return;
      const left = rows();
      const next = left[Math.min(at, left.length - 1)] ?? element;
      (next.querySelector<HTMLElement>(FOCUSABLE) ?? element.querySelector<HTMLElement>(FOCUSABLE))?.focus();
    });
    document.addEventListener('focusin', remember);
    document.addEventListener('pointerdown', away, true);
    observer.observe(area, { childList: true, subtree: true });
    // Dialogs are children of the body: the focus is free only when they have closed.
    observer.observe(document.body, { childList: true });
    return () => {
      document.removeEventListener('focusin', remember);
      document.removeEventListener('pointerdown', away, true);
      observer.disconnect();
    };
  }, [list]);
}
