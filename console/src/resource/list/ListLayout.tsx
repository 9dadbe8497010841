import type { ReactNode } from 'react';
import { LIST_AREA } from '#/ui/kept-focus';

/** Side panel, heading and rows; as a page it fills the window. `announcement` is read out when it changes. */
export function ListLayout({
  embedded,
  side,
  announcement,
  heading,
  children,
}: {
  readonly embedded: boolean;
  readonly side: ReactNode;
  readonly announcement: string;
  readonly heading: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div
      className={`flex min-h-0 gap-3.5 max-lg:flex-col max-lg:gap-2 ${embedded ? '' : 'max-sm:grow md:h-[calc(100dvh-var(--frame,44px)-34px)]'}`}
    >
      {side}
      <div className="flex min-w-0 grow flex-col gap-2" {...LIST_AREA}>
        {/* Announces each new result once; the visible count is not a live region. */}
        <p className="sr-only" role="status">
          {announcement}
        </p>
        {heading}
        {children}
      </div>
    </div>
  );
}
