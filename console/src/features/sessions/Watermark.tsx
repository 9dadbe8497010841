import { exactStamp } from '#/lib/time';
import { useSession } from '#/lib/session';
import { useState } from 'react';

/** Distance of two repetitions, in px. */
const TILE = { width: 320, height: 150 } as const;

/** Legible in a photo, and never in the way of the text below. */
const OPACITY = 0.2;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A tile with the text across it, as an image that is repeated as a mask. */
export function tileOf(text: string): string {
  const { width, height } = TILE;
  const label = `<text x="50%" y="50%" text-anchor="middle" font-family="sans-serif" font-size="13" transform="rotate(-20 ${width / 2} ${height / 2})">${escaped(text)}</text>`;
  const image = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${label}</svg>`;
  return `url("data:image/svg+xml,${encodeURIComponent(image)}")`;
}

/**
 * Who looks at this picture and since when, across a recorded or a running screen: a photo of it names its viewer. A
 * system setting switches it off.
 */
export function Watermark() {
  const { profile, settings } = useSession();
  const [since] = useState(() => exactStamp(new Date()));
  if (settings.SECURITY_WATERMARK_ENABLED === false) return null;
  const text = `${profile.name} (${profile.username}) ${since}`;
  return (
    <div
      aria-hidden
      data-watermark={text}
      className="pointer-events-none absolute inset-0 z-(--z-sticky)"
      style={{ backgroundColor: 'currentcolor', maskImage: tileOf(text), opacity: OPACITY }}
    />
  );
}
