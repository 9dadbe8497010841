import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { IconButton } from '#/ui/button';

/** Turns the pages of rows. */
export function PageTurner({
  page,
  pages,
  onTurn,
}: {
  /** Page from 0. */
  readonly page: number;
  readonly pages: number;
  readonly onTurn: (page: number) => void;
}) {
  const t = useT();
  return (
    <nav aria-label={t('exchange:import.pages')} className="flex items-center justify-end gap-1 tabular-nums">
      <IconButton
        icon={ChevronLeft}
        label={t('exchange:import.previous')}
        disabled={page === 0}
        onClick={() => onTurn(page - 1)}
      />
      <span className="px-1">{t('exchange:import.page', { page: page + 1, pages })}</span>
      <IconButton
        icon={ChevronRight}
        label={t('exchange:import.next')}
        disabled={page >= pages - 1}
        onClick={() => onTurn(page + 1)}
      />
    </nav>
  );
}
