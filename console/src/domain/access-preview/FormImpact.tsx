import type { FormValues } from '#/resource/define';
import { EndingSessions } from './EndingSessions';
import { DECISIVE, type Formed } from './decisive';
import { ImpactCard } from './ImpactCard';
import type { AccessChange } from './preview';
import { typedInstant, useSettled } from './settled';

/** How a new object is named in the list. */
const NAMING: Readonly<Record<Formed, readonly string[]>> = {
  user: ['name', 'username'],
  user_group: [],
  asset: ['hostname'],
};
const PROTOCOL = /^[a-z]+\/\d{1,5}$/;

/** The value of a field as the API takes it; undefined for one that is not filled in to its end. */
function sentOf(field: string, value: unknown): unknown {
  if (field === 'date_expired') return value ? typedInstant(value)?.toISOString() : null;
  if (field === 'protocols') return [value].flat().filter((text) => PROTOCOL.test(String(text)));
  // An asset without a node goes to the root node.
  if (field === 'nodes') return Array.isArray(value) && value.length > 0 ? value : undefined;
  return value;
}

/** The decisive values of a form. Fields that it hides have no value. */
function changeOf(object: Formed, values: FormValues, id: string | undefined): AccessChange {
  const fields: readonly string[] =
    id === undefined ? [...DECISIVE[object], ...NAMING[object]] : DECISIVE[object];
  const sent = fields
    .filter((field) => values[field] !== undefined)
    .map((field) => [field, sentOf(field, values[field])] as const);
  const given = Object.fromEntries(sent.filter(([, value]) => value !== undefined));
  return id === undefined
    ? { object, action: 'create', values: given }
    : { object, action: 'update', id, values: given };
}

/** Beside a form: who gains and loses which access when it is saved. */
export function FormImpact({
  object,
  values,
  id,
}: {
  readonly object: Formed;
  readonly values: FormValues;
  readonly id: string | undefined;
}) {
  const change = useSettled(changeOf(object, values, id));
  const ends = object !== 'user_group' && id !== undefined && change.values?.['is_active'] === false;
  return <ImpactCard change={change}>{ends && <EndingSessions object={object} ids={[id]} />}</ImpactCard>;
}
