import type { ReactNode } from 'react';

/**
 * The toolbar of a list, covered by the selection bar. The toolbar keeps its space, so selecting a row does not move
 * the table.
 */
export function ListTray({ toolbar, bar }: { readonly toolbar: ReactNode; readonly bar: ReactNode }) {
  const isCovered = bar !== null;
  return (
    <div className="grid min-w-0 grow items-center">
      <div
        inert={isCovered}
        className={`col-start-1 row-start-1 flex flex-wrap items-center justify-end gap-2 max-sm:justify-start ${isCovered ? 'invisible' : ''}`}
      >
        {toolbar}
      </div>
      {isCovered && <div className="col-start-1 row-start-1 min-w-0">{bar}</div>}
    </div>
  );
}
