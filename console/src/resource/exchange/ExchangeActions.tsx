import { ArrowDownUp, ChevronDown, Download, Upload } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { loadNamespaces, useT } from '#/lib/i18n';
import { useIsRootOrganization } from '#/lib/session';
import { Button } from '#/ui/button';
import { MenuButton } from '#/ui/menu';
import type { Metadata } from '../api';
import type { ActionTools, Resource, ResourceDefinition } from '../define';
import { useMedia } from '#/ui/use-media';
import { CSV, type ExchangeSource, offersExport } from './exchange-source';

/** Window width below which the button has no text, so that the toolbar of a list stays on one line. */
const NARROW = '(width < 1200px)';

// Loaded on demand: most visits to a list use neither dialog.
const ExportDialog = lazy(async () => {
  const [part] = await Promise.all([import('./ExportDialog'), loadNamespaces(['exchange'])]);
  return { default: part.ExportDialog };
});
const ImportWizard = lazy(async () => {
  const [part] = await Promise.all([import('./ImportWizard'), loadNamespaces(['exchange'])]);
  return { default: part.ImportWizard };
});

export interface ExchangeActionsProps<Row extends Resource> {
  readonly resource: ResourceDefinition<Row>;
  readonly source: ExchangeSource;
  /** Absent while loading: until then the definition alone decides, so that nothing moves when the metadata arrives. */
  readonly metadata: Metadata | undefined;
  /** The person may create objects of this list. */
  readonly mayCreate: boolean;
  readonly tools: ActionTools;
  /** An empty list offers the import: one button instead of the menu. */
  readonly importOnly?: boolean;
}

/** Header action of a list: export and import in a menu, or a single button. Renders nothing if neither is possible. */
export function ExchangeActions<Row extends Resource>({
  resource,
  source,
  metadata,
  mayCreate,
  tools,
  importOnly = false,
}: ExchangeActionsProps<Row>) {
  const t = useT();
  const isRoot = useIsRootOrganization();
  const isNarrow = useMedia(NARROW);
  const [open, setOpen] = useState<'export' | 'import' | null>(null);
  const { exchange = {} } = resource.list;
  const mayExport = offersExport(exchange, metadata) !== false;
  const mayImport =
    exchange.import !== false &&
    resource.can?.create !== false &&
    mayCreate &&
    !isRoot &&
    (!metadata || metadata.parses?.includes(CSV) === true);
  if (importOnly ? !mayImport : !mayExport && !mayImport) return null;
  const close = () => setOpen(null);
  const label = t('resource:exchange.both');
  const startImport = () => setOpen('import');
  const startExport = () =>
    void Promise.resolve(exchange.verification?.ask() ?? true).then((verified) => {
      if (verified) setOpen('export');
    });
  return (
    <>
      {importOnly || !mayExport ? (
        <Button icon={Upload} onClick={startImport}>
          {t('resource:exchange.import')}
        </Button>
      ) : mayImport ? (
        <MenuButton
          label={label}
          iconOnly={isNarrow}
          entries={[
            { id: 'import', label: t('resource:exchange.import'), icon: Upload, run: startImport },
            { id: 'export', label: t('resource:exchange.export'), icon: Download, run: startExport },
          ]}
        >
          <ArrowDownUp aria-hidden />
          {!isNarrow && (
            <>
              {label}
              <ChevronDown aria-hidden />
            </>
          )}
        </MenuButton>
      ) : (
        <Button icon={Download} onClick={startExport}>
          {t('resource:exchange.export')}
        </Button>
      )}
      {open !== null && (
        <Suspense>
          {open === 'export' ? (
            <ExportDialog exchange={exchange} noun={resource.noun.many} source={source} onClose={close} />
          ) : (
            <ImportWizard
              noun={resource.noun.many}
              source={source}
              specs={resource.form?.fields}
              effect={exchange.importEffect}
              onClose={close}
              onSaved={tools.refresh}
            />
          )}
        </Suspense>
      )}
    </>
  );
}
