import { ChevronDown, ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { IconButton } from './button';

export const PAGE_SIZES = [15, 30, 50, 100] as const;
const PAGES_SHOWN = 5;

/** The page numbers around the current page. */
export function pagesAround(page: number, pages: number): number[] {
  const first = Math.max(1, Math.min(page - Math.floor(PAGES_SHOWN / 2), pages - PAGES_SHOWN + 1));
  return Array.from({ length: Math.min(PAGES_SHOWN, pages) }, (_, index) => first + index);
}

/** Total, page size, previous, pages, next and, on request, a field to jump to a page. */
export function Pager({
  count,
  isMinimum = false,
  hasNext = false,
  page,
  size,
  sizes = PAGE_SIZES,
  jumper = false,
  of,
  onPage,
  onSize,
}: {
  readonly count: number;
  /** There are more rows than `count`. */
  readonly isMinimum?: boolean;
  /** Another page follows, even where `count` ends. */
  readonly hasNext?: boolean;
  /** 1-based. */
  readonly page: number;
  readonly size: number;
  readonly sizes?: readonly number[];
  readonly jumper?: boolean;
  /** Name of the paged table, where a page has several tables. */
  readonly of?: string;
  readonly onPage: (page: number) => void;
  readonly onSize: (size: number) => void;
}) {
  const t = useT();
  const pages = Math.max(1, Math.ceil(count / size), hasNext ? page + 1 : 0);
  const from = count === 0 ? 0 : (page - 1) * size + 1;
  return (
    <nav
      aria-label={of === undefined ? t('ui:pager.label') : t('ui:pager.label_of', { name: of })}
      className="-mt-px flex flex-wrap items-center gap-x-4 max-sm:gap-x-2 gap-y-2 border-t border-line px-3 py-1.5 tabular-nums"
    >
      <span className="grow text-ink-2" role="status">
        {t('ui:pager.range', {
          from: from.toLocaleString('en'),
          to: Math.min(count, page * size).toLocaleString('en'),
          count: `${count.toLocaleString('en')}${isMinimum ? '+' : ''}`,
        })}
      </span>
      <span className="flex items-center gap-2">
        <span className="text-ink-3 max-sm:hidden" aria-hidden>
          {t('ui:pager.size')}
        </span>
        <span className="relative">
          <select
            aria-label={t('ui:pager.size')}
            className="pt-field pt-field-quiet w-18! appearance-none pr-7!"
            value={size}
            onChange={(event) => onSize(Number(event.target.value))}
          >
            {sizes.map((size) => (
              <option key={size} value={size}>
                {size}
              </option>
            ))}
          </select>
          <ChevronDown
            className="pointer-events-none absolute inset-y-0 right-2 my-auto text-ink-3"
            aria-hidden
          />
        </span>
      </span>
      <span className="flex items-center gap-1">
        <IconButton
          icon={ChevronLeft}
          label={t('ui:pager.previous')}
          disabled={page <= 1}
          onClick={() => onPage(page - 1)}
        />
        {pagesAround(page, pages).map((number) => (
          <button
            key={number}
            type="button"
            className="h-7 min-w-7 rounded-2 px-1 text-ink-2 hover:bg-hover aria-[current]:font-semibold aria-[current]:text-ink-1 max-sm:hidden"
            aria-current={number === page ? 'page' : undefined}
            aria-label={t('ui:pager.page', { page: number })}
            onClick={() => onPage(number)}
          >
            {number}
          </button>
        ))}
        <span className="px-1 sm:hidden">
          {page} / {pages}
        </span>
        <IconButton
          icon={ChevronRight}
          label={t('ui:pager.next')}
          disabled={page >= pages}
          onClick={() => onPage(page + 1)}
        />
      </span>
      {jumper && <Jumper key={page} page={page} pages={pages} onPage={onPage} />}
    </nav>
  );
}

/** Jumps to the typed page on Enter or blur; numbers out of range are clamped. */
function Jumper({
  page,
  pages,
  onPage,
}: {
  readonly page: number;
  readonly pages: number;
  readonly onPage: (page: number) => void;
}) {
  const t = useT();
  const [text, setText] = useState(String(page));
  const jump = () => {
    const typed = Math.trunc(Number(text));
    const wanted = Number.isNaN(typed) || text.trim() === '' ? page : Math.min(pages, Math.max(1, typed));
    setText(String(wanted));
    if (wanted !== page) onPage(wanted);
  };
  return (
    <label className="flex items-center gap-2 text-ink-3">
      {t('ui:pager.jump')}
      <input
        className="pt-field pt-field-quiet w-14! text-center"
        inputMode="numeric"
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={jump}
        onKeyDown={(event) => {
          if (event.key === 'Enter') jump();
        }}
      />
    </label>
  );
}
