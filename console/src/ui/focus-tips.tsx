import { useEffect, useRef, useState } from 'react';

/** Tooltips wait this long (design, section 6). */
const WAIT_MS = 500;
const GAP_PX = 6;

interface Tip {
  readonly text: string;
  readonly top: number;
  readonly left: number;
}

/**
 * Tooltips for the keyboard. Names, shortcuts and reasons stand in `title`: the browser shows them to the mouse only, this
 * shows them to the focus, too. Escape puts one away. One for the whole page.
 */
export function FocusTips() {
  const [tip, setTip] = useState<Tip | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    const hide = () => {
      clearTimeout(timer.current);
      setTip(null);
    };
    const show = (event: FocusEvent) => {
      hide();
      const { target } = event;
      if (!(target instanceof HTMLElement) || target.title === '' || !target.matches(':focus-visible'))
        return;
      timer.current = setTimeout(() => {
        const box = target.getBoundingClientRect();
        setTip({
          text: target.title,
          top: Math.min(box.bottom + GAP_PX, window.innerHeight - 40),
          left: Math.max(GAP_PX, Math.min(box.left, window.innerWidth - 280)),
        });
      }, WAIT_MS);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') hide();
    };
    document.addEventListener('focusin', show);
    document.addEventListener('focusout', hide);
    document.addEventListener('keydown', onKey, true);
    window.addEventListener('scroll', hide, true);
    return () => {
      clearTimeout(timer.current);
      document.removeEventListener('focusin', show);
      document.removeEventListener('focusout', hide);
      document.removeEventListener('keydown', onKey, true);
      window.removeEventListener('scroll', hide, true);
    };
  }, []);
  if (!tip) return null;
  // Assistive technology has the text already: `title` names or describes the focused element.
  return (
    <div
      aria-hidden
      className="pointer-events-none fixed z-(--z-toast) max-w-[272px] rounded-2 bg-surface-inverse px-2 py-1 text-meta text-ink-inverse"
      style={{ top: tip.top, left: tip.left }}
    >
      {tip.text}
    </div>
  );
}
