import type { ReactNode } from 'react';
import type { Translate } from '#/lib/i18n';
import { CellLink } from '#/ui/link';
import type { TableColumn } from '#/ui/table';
import { VisibleText } from '#/ui/visible-text';
import type { FieldMap } from '../api';
import type { Column, Resource, ResourceDefinition } from '../define';
import { AutoCell, valueOf } from '../format';
import { objectPath } from '../routes';
import { isAlwaysShown } from './ColumnSettings';

/** Name fields: their column links to the object's own page. */
const NAME_KEYS = new Set(['name', 'hostname']);

function specOf<Row>(column: string | Column<Row>): Column<Row> {
  return typeof column === 'string' ? { key: column } : column;
}

export function columnSpecs<Row extends Resource>(resource: ResourceDefinition<Row>): readonly Column<Row>[] {
  return resource.list.columns.map(specOf);
}

/**
 * Columns of the table: label and sorting from the metadata, cells from the definition or the field's type. Without
 * metadata (still loading, or failed) a column has no label; the raw field name is never shown.
 */
export function tableColumns<Row extends Resource>(
  resource: ResourceDefinition<Row>,
  shown: ReadonlySet<string>,
  meta: FieldMap,
  t: Translate,
  isDescribed = true,
): readonly TableColumn<Row>[] {
  return columnSpecs(resource)
    .filter((spec, index) => isAlwaysShown(spec.key, index) || shown.has(spec.key))
    .map((spec) => {
      const field = meta[spec.key];
      const isName = NAME_KEYS.has(spec.key);
      const automatic = (row: Row): ReactNode =>
        isName && resource.routes.paths.detail !== undefined ? (
          <CellLink to={objectPath(resource.routes.paths.detail, row.id)} className="pt-link font-medium">
            <VisibleText text={String(valueOf(row, spec.key) ?? resource.nameOf(row))} />
          </CellLink>
        ) : (
          <AutoCell row={row} name={spec.key} meta={field} />
        );
      return {
        key: spec.key,
        label: spec.label === undefined ? (field?.label ?? (isDescribed ? spec.key : '')) : t(spec.label),
        cell: spec.cell ?? automatic,
        sortable: spec.sortable ?? (isName || field?.order === true || field?.type === 'choice'),
        ...(spec.align ? { align: spec.align } : {}),
      };
    });
}
