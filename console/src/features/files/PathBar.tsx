import { ArrowUp, RefreshCw } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { IconButton } from '#/ui/button';
import { visible, VisibleText } from '#/ui/visible-text';
import { crumbsOf } from './file-paths';
import { canGoUp, goUp, reloadPane } from './pane-commands';
import type { PaneModel } from './pane-model';
import { go } from './workspace';

/** Where the pane is: each folder above is a button. */
export function PathBar({ pane }: { readonly pane: PaneModel }) {
  const t = useT();
  const { place } = pane.folder;
  const crumbs = place === null ? [] : crumbsOf(place);
  const where = t(pane.side === 'left' ? 'files:left' : 'files:right');
  return (
    <div className="flex min-h-8 flex-none items-center gap-1 border-b border-line px-2">
      <IconButton
        icon={ArrowUp}
        kind="text"
        size="sm"
        label={t('files:up')}
        disabledReason={canGoUp(pane) ? undefined : t('files:why.top')}
        onClick={() => goUp(pane)}
      />
      <nav
        aria-label={`${t('files:path')}: ${where}`}
        className="min-w-0 grow overflow-x-auto [scrollbar-width:none]"
      >
        <ol className="flex items-center gap-1 whitespace-nowrap text-ink-3">
          {crumbs.map(({ path, name }, at) => (
            <li key={path} className="flex items-center gap-1">
              {/* The root is a slash itself. */}
              {at > 0 && (at > 1 || crumbs[0]?.name !== null) && <span aria-hidden>/</span>}
              {at === crumbs.length - 1 ? (
                <span aria-current="location" className="font-medium text-ink-1">
                  {name === null ? '/' : <VisibleText text={name.text} />}
                </span>
              ) : (
                <button
                  type="button"
                  className="pt-link min-h-6"
                  // A name of one letter is a target for a finger as well.
                  style={{ minWidth: 24 }}
                  title={name === null ? t('files:root') : visible(name.text)}
                  onClick={() => go(pane.side, path)}
                >
                  {name === null ? '/' : <VisibleText text={name.text} />}
                </button>
              )}
            </li>
          ))}
        </ol>
      </nav>
      <IconButton
        icon={RefreshCw}
        kind="text"
        size="sm"
        label={t('files:reload')}
        onClick={() => reloadPane(pane)}
      />
    </div>
  );
}
