import { useT } from '#/lib/i18n';
import { AppLink } from './link';

export interface Crumb {
  readonly label: string;
  readonly to?: string;
}

export function Breadcrumbs({ crumbs }: { readonly crumbs: readonly Crumb[] }) {
  const t = useT();
  return (
    <nav aria-label={t('ui:breadcrumb')} className="min-w-0">
      <ol className="flex min-w-0 items-center gap-1.5 whitespace-nowrap text-ink-3">
        {crumbs.map((crumb, index) => {
          const isLast = index === crumbs.length - 1;
          return (
            <li
              key={`${crumb.label}-${crumb.to ?? ''}`}
              className={`flex items-center gap-1.5 ${isLast ? 'min-w-0 font-medium text-ink-1' : 'max-lg:hidden'}`}
              aria-current={isLast ? 'page' : undefined}
            >
              {index > 0 && (
                <span aria-hidden className="font-normal text-ink-3 max-lg:hidden">
                  /
                </span>
              )}
              {crumb.to !== undefined && !isLast ? (
                <AppLink to={crumb.to} className="rounded-1 text-ink-3 hover:text-ink-1">
                  {crumb.label}
                </AppLink>
              ) : (
                <span className="truncate">{crumb.label}</span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
