import { Columns3 } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { Checkbox, Segmented } from '#/ui/choice';
import { PopoverButton } from '#/ui/popover';
import type { Density } from '#/ui/table';

// i18n: resource:density.*
const DENSITIES = ['compact', 'normal', 'comfortable'] as const;
/** With more columns than this the checkboxes are in two columns, so that the row height stays visible. */
const MANY = 14;

/** Settings: visible columns and row height. The first column (the name), `id` and the actions are always visible. */
export function ColumnSettings({
  columns,
  shown,
  onChange,
  hasActions,
  density,
  onDensity,
}: {
  readonly columns: readonly { readonly key: string; readonly label: string }[];
  readonly shown: ReadonlySet<string>;
  readonly onChange: (shown: readonly string[]) => void;
  readonly hasActions: boolean;
  readonly density: Density;
  readonly onDensity: (density: Density) => void;
}) {
  const t = useT();
  return (
    <PopoverButton icon={Columns3} label={t('resource:columns')}>
      <div className={`grid gap-0.5 ${columns.length > MANY ? 'sm:grid-cols-2 sm:gap-x-3' : ''}`}>
        {columns.map((column, index) => {
          const isFixed = isAlwaysShown(column.key, index);
          return (
            <Checkbox
              key={column.key}
              className="rounded-2 px-2 hover:bg-hover"
              checked={isFixed || shown.has(column.key)}
              disabled={isFixed}
              onChange={(event) => {
                const on = event.target.checked;
                onChange(
                  columns
                    .map((entry) => entry.key)
                    .filter((key) => (key === column.key ? on : shown.has(key))),
                );
              }}
            >
              {column.label}
            </Checkbox>
          );
        })}
        {hasActions && (
          <Checkbox className="rounded-2 px-2" checked disabled readOnly>
            {t('ui:table.actions')}
          </Checkbox>
        )}
      </div>
      <div className="mt-2 border-t border-line px-1 pt-2">
        <p className="mb-1 text-meta text-ink-3">{t('resource:density.label')}</p>
        <Segmented
          label={t('resource:density.label')}
          options={DENSITIES.map((value) => ({ value, label: t(`resource:density.${value}`) }))}
          value={density}
          onChange={(value) => onDensity(DENSITIES.find((entry) => entry === value) ?? 'normal')}
        />
      </div>
    </PopoverButton>
  );
}

/** The name (first) and the id cannot be hidden. */
export function isAlwaysShown(key: string, index: number): boolean {
  return index === 0 || key === 'id';
}
