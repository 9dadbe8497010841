import { type ReactNode, useMemo, useState } from 'react';
import { useT } from '#/lib/i18n';
import type { Density, TableColumn } from '#/ui/table';
import type { FieldMap } from '../api';
import type { Resource, ResourceDefinition } from '../define';
import { rememberColumns, rememberDensity, rememberedColumns, rememberedDensity } from '../table-config';
import { ColumnSettings } from './ColumnSettings';
import { columnSpecs, tableColumns } from './columns';

interface ListColumns<Row> {
  readonly columns: readonly TableColumn<Row>[];
  readonly density: Density;
  /** The control that changes these settings. */
  readonly settings: ReactNode;
}

/** Columns and row height of a list, as stored in this browser. */
export function useListColumns<Row extends Resource>(
  resource: ResourceDefinition<Row>,
  fields: FieldMap,
  isKnown: boolean,
  hasActions: boolean,
): ListColumns<Row> {
  const t = useT();
  const specs = columnSpecs(resource);
  const [shownKeys, setShownKeys] = useState<readonly string[]>(
    () => rememberedColumns(resource.name) ?? resource.list.shown ?? specs.map((spec) => spec.key),
  );
  const [density, setDensity] = useState(() => rememberedDensity(resource.name));
  const shown = useMemo(() => new Set(shownKeys), [shownKeys]);
  const columns = useMemo(
    () => tableColumns(resource, shown, fields, t, isKnown),
    [resource, shown, fields, t, isKnown],
  );
  const settings = (
    <ColumnSettings
      columns={tableColumns(resource, new Set(specs.map((spec) => spec.key)), fields, t)}
      shown={shown}
      onChange={(keys) => {
        setShownKeys(keys);
        rememberColumns(resource.name, keys);
      }}
      hasActions={hasActions}
      density={density}
      onDensity={(next) => {
        setDensity(next);
        rememberDensity(resource.name, next);
      }}
    />
  );
  return { columns, density, settings };
}
