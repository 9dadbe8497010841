import type { ReactNode } from 'react';
import { loadNamespaces } from '#/lib/i18n';
import type { CheckedImport, FormDefinition, FormValues } from '#/resource/define';
import { lazyPart } from '#/resource/lazy-part';
import { DECISIVE, type Formed } from './decisive';
import type { ImportedObject } from './imports';
import type { AccessChange } from './preview';

/** All parts with their texts. */
const load = async () => (await Promise.all([import('./parts'), loadNamespaces(['access-preview'])]))[0];

/** Who gains and loses access. */
export const AccessPreview = lazyPart(async () => (await load()).AccessPreview);
/** The card beside a form. */
export const ImpactCard = lazyPart(async () => (await load()).ImpactCard);
const EndingSessions = lazyPart(async () => (await load()).EndingSessions);
const FormImpact = lazyPart(async () => (await load()).FormImpact);
const ImportAccess = lazyPart(async () => (await load()).ImportAccess);

/** What the changes do to access, for a question that is asked before them. */
export const accessEffect = (changes: readonly AccessChange[]): ReactNode => (
  <div className="mt-3">
    <AccessPreview changes={changes} />
  </div>
);

/** What deleting objects of this kind does to access. */
export const deletionEffect = (object: AccessChange['object']) => (ids: readonly string[]) =>
  accessEffect(ids.map((id) => ({ object, action: 'delete', id })));

/** What deactivating people or assets does: who loses access, and which sessions end. */
export const deactivationEffect = (object: 'user' | 'asset', ids: readonly string[]): ReactNode => (
  <>
    {accessEffect(ids.map((id) => ({ object, action: 'update', id, values: { is_active: false } })))}
    <EndingSessions object={object} ids={ids} />
  </>
);

/** What an import of these objects does to access, between its check and its start. */
export const importEffect =
  (object: ImportedObject) =>
  (rows: readonly CheckedImport[]): ReactNode => <ImportAccess object={object} rows={rows} />;

/** Beside a form: what saving it does to access. No permission names a new group. */
export const formImpact =
  (object: Formed): NonNullable<FormDefinition['aside']> =>
  ({ values, id }) =>
    object === 'user_group' && id === undefined ? null : (
      <FormImpact object={object} values={values} id={id} />
    );

/** What the same new values do to all of these objects; nothing when the values do not decide access. */
export const bulkEffect =
  (object: 'user' | 'asset') =>
  (ids: readonly string[], values: FormValues): ReactNode => {
    const fields: readonly string[] = DECISIVE[object];
    const sent = Object.fromEntries(Object.entries(values).filter(([field]) => fields.includes(field)));
    if (Object.keys(sent).length === 0) return null;
    return accessEffect(ids.map((id) => ({ object, action: 'update', id, values: sent })));
  };

/** What other nodes of assets do to access. `nodes` replaces all of them. */
export const placementEffect = (
  ids: readonly string[],
  values: Readonly<Partial<Record<'nodes' | 'add' | 'remove', readonly string[]>>>,
): ReactNode => accessEffect(ids.map((id) => ({ object: 'asset', action: 'update', id, values })));
