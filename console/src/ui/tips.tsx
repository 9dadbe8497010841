import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { type Place, placeBeside } from './place';
import { type Tip, watchTips } from './tip-watch';

function TipBox({ tip }: { readonly tip: Tip }) {
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<Place | null>(null);
  useLayoutEffect(() => {
    if (box.current) setPlace(placeBeside(tip.anchor, box.current, 'start'));
  }, [tip]);
  return createPortal(
    // Hidden from assistive technology, which already has the text as `title`. Dialogs ignore presses on it.
    <div
      ref={box}
      aria-hidden
      data-tip-box
      data-react-aria-top-layer="true"
      className="fixed z-(--z-tooltip) w-max max-w-[min(320px,calc(100vw-8px))] rounded-2 bg-surface-inverse px-2 py-1 text-meta [overflow-wrap:anywhere] whitespace-pre-line text-ink-inverse"
      style={place ? { top: place.top, left: place.left } : { visibility: 'hidden' }}
    >
      {tip.text}
    </div>,
    document.body,
  );
}

/** The page's only tooltip, for pointer and keyboard: see `watchTips`. It serves all elements with a `title`. */
export function Tips() {
  const [tip, setTip] = useState<Tip | null>(null);
  useEffect(() => watchTips(setTip), []);
  return tip && <TipBox tip={tip} />;
}
