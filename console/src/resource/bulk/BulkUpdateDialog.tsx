import { type ComponentProps, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { translate, useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Checkbox } from '#/ui/choice';
import { confirm } from '#/ui/confirm';
import { Dialog } from '#/ui/dialog';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { toast } from '#/ui/toast';
import type { FieldMap } from '../api';
import type { BulkUpdateDefinition, FieldSpec, FormValues } from '../define';
import { FieldControl } from '../form/FieldControl';
import { initialValues, payloadOf } from '../form/values';
import { useMetadata } from '../use-metadata';
import { type BulkResult, updateMany } from './bulk-update';

const FORM_ID = 'bulk-update';
/** Number of failed rows that the dialog names; all failed rows stay selected. */
const FAILURES_SHOWN = 20;

type Specs = Readonly<Record<string, FieldSpec>>;
type Names = ReadonlyMap<string, string>;

export interface BulkUpdateDialogProps {
  readonly api: string;
  /** Keys of the texts for the rows: “asset”, “assets”. */
  readonly noun: { readonly one: string; readonly many: string };
  readonly fields: readonly string[];
  readonly specs: Specs;
  readonly effect: BulkUpdateDefinition['effect'] | undefined;
  /** Selected rows: name by id. */
  readonly chosen: Names;
  readonly onClose: () => void;
  /** At least one row was updated; `left` are the rows that were not. */
  readonly onUpdated: (left: Names) => void;
}

/** Rows that were selected without being displayed have no name yet. */
function nameOr(name: string | undefined, id: string): string {
  return name === undefined || name === '' ? id : name;
}

function nounFor(noun: BulkUpdateDialogProps['noun'], count: number): string {
  return count === 1 ? noun.one : noun.many;
}

/** Loads the metadata, then shows the fields. */
export function BulkUpdateDialog(props: BulkUpdateDialogProps) {
  const t = useT();
  const metadata = useMetadata(props.api);
  if (metadata.data) {
    const { PATCH, PUT } = metadata.data.actions;
    return <LoadedDialog {...props} meta={PATCH ?? PUT ?? {}} />;
  }
  return (
    <Dialog
      isOpen
      title={t('bulk:title', { count: props.chosen.size, noun: t(nounFor(props.noun, props.chosen.size)) })}
      onClose={props.onClose}
    >
      {metadata.error ? (
        <FailedState
          title={t('resource:failed', { noun: t(props.noun.many) })}
          message={explain(metadata.error)}
          requestId={requestIdOf(metadata.error)}
          onRetry={() => void metadata.refetch()}
        />
      ) : (
        <SkeletonLines lines={4} />
      )}
    </Dialog>
  );
}

interface TickFieldProps extends Pick<
  ComponentProps<typeof FieldControl>,
  'name' | 'meta' | 'spec' | 'form' | 'context'
> {
  readonly label: string;
  readonly isTicked: boolean;
  readonly busy: boolean;
  readonly onToggle: () => void;
}

/** A field that can be changed only while its checkbox is ticked. */
function TickField({ label, isTicked, busy, onToggle, ...field }: TickFieldProps) {
  const t = useT();
  const { meta, spec } = field;
  return (
    <div className="flex items-start gap-1">
      <Checkbox
        className="mt-0.5 flex-none"
        aria-label={t('bulk:tick', { label })}
        checked={isTicked}
        disabled={busy}
        onChange={onToggle}
      />
      {/* The checkbox is the label of the field, instead of a label at the control. */}
      <div className="min-w-0 grow sm:[&_label]:text-left sm:[&_[id$=-label]]:text-left">
        <FieldControl
          {...field}
          spec={{
            ...spec,
            required: isTicked && (spec.required ?? meta?.required),
            isDisabled: () => !isTicked || busy,
          }}
        />
      </div>
    </div>
  );
}

/** Sends the values for all selected rows. `done` counts finished rows while sending, otherwise it is null. */
function useUpdate({
  api,
  noun,
  chosen,
  meta,
  onClose,
  onUpdated,
}: Pick<BulkUpdateDialogProps, 'api' | 'noun' | 'chosen' | 'onClose' | 'onUpdated'> & {
  readonly meta: FieldMap;
}) {
  const t = useT();
  const [done, setDone] = useState<number | null>(null);
  const [failed, setFailed] = useState<readonly { readonly name: string; readonly reason: string }[]>([]);
  const finish = ({ updated, failed: reasons }: BulkResult) => {
    if (updated.length > 0)
      toast({
        tone: 'ok',
        text: translate('bulk:updated', { count: updated.length, noun: t(nounFor(noun, updated.length)) }),
      });
    setFailed([...reasons].map(([id, reason]) => ({ name: nameOr(chosen.get(id), id), reason })));
    onUpdated(new Map([...reasons.keys()].map((id) => [id, chosen.get(id) ?? ''])));
    if (reasons.size === 0) onClose();
  };
  const send = async (values: FormValues) => {
    setDone(0);
    const result = await updateMany(api, [...chosen.keys()], values, meta, setDone);
    setDone(null);
    finish(result);
  };
  return { done, failed, send };
}

/** The fields that are ticked. `onCleared`: a field is no longer ticked. */
function useTicks(onCleared: (name: string) => void) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const toggle = (name: string) => {
    const next = new Set(ticked);
    if (!next.delete(name)) next.add(name);
    else onCleared(name);
    setTicked(next);
  };
  return { ticked, toggle };
}

function LoadedDialog({
  api,
  noun,
  fields,
  specs,
  effect,
  chosen,
  onClose,
  onUpdated,
  meta,
}: BulkUpdateDialogProps & { readonly meta: FieldMap }) {
  const t = useT();
  const names = fields.filter((name) => meta[name] !== undefined && !meta[name].read_only);
  const [start] = useState(() => initialValues(meta, names, {}, specs));
  const form = useForm<FormValues>({ defaultValues: start, mode: 'onBlur', reValidateMode: 'onChange' });
  const watched = useWatch({ control: form.control });
  const { ticked, toggle } = useTicks((name) => form.clearErrors(name));
  const { done, failed, send } = useUpdate({ api, noun, chosen, meta, onClose, onUpdated });
  const busy = done !== null;
  const count = chosen.size;
  const labelOf = (name: string) => {
    const own = specs[name]?.label;
    return own === undefined ? (meta[name]?.label ?? name) : t(own);
  };
  const chosenFields = names.filter((name) => ticked.has(name));

  const update = async () => {
    const values = payloadOf(form.getValues(), chosenFields, meta, specs);
    // A form may leave out a blank secret or number. Here the field was ticked, so a blank value is sent as well.
    const blank = chosenFields.filter((name) => !(name in values));
    for (const name of blank) form.setError(name, { message: t('resource:form.required') });
    if (blank.length > 0) return;
    const agreed = await confirm({
      title: t('bulk:question', { count, noun: t(nounFor(noun, count)) }),
      effect: t('bulk:effect', { fields: chosenFields.map(labelOf).join(', ') }),
      extra: effect?.([...chosen.keys()], values),
      names: [...chosen].map(([id, name]) => nameOr(name, id)),
      confirmLabel: t('bulk:confirm', { count }),
    });
    if (!agreed) return;
    await send(values);
  };
  return (
    <Dialog
      isOpen
      title={t('bulk:title', { count, noun: t(nounFor(noun, count)) })}
      // After sending, only the answer tells which rows were updated, so the dialog cannot be closed.
      onClose={busy ? () => undefined : onClose}
      footer={
        <>
          <Button disabled={busy} onClick={onClose}>
            {t('ui:cancel')}
          </Button>
          <Button
            kind="primary"
            type="submit"
            form={FORM_ID}
            busy={busy}
            disabledReason={chosenFields.length === 0 ? t('bulk:nothing_ticked') : undefined}
          >
            {t('bulk:confirm', { count })}
          </Button>
        </>
      }
    >
      <form
        id={FORM_ID}
        noValidate
        className="grid gap-3"
        onSubmit={(event) => {
          if (busy || chosenFields.length === 0) event.preventDefault();
          else void form.handleSubmit(update)(event);
        }}
      >
        {failed.length > 0 && <Failures failed={failed} />}
        <p className="text-ink-2">{t('bulk:help')}</p>
        {names.length === 0 && <Note tone="warn">{t('resource:not_allowed')}</Note>}
        {names.map((name) => (
          <TickField
            key={name}
            name={name}
            label={labelOf(name)}
            meta={meta[name]}
            spec={specs[name] ?? {}}
            form={form.control}
            context={{ mode: 'update', values: { ...start, ...watched } }}
            isTicked={ticked.has(name)}
            busy={busy}
            onToggle={() => toggle(name)}
          />
        ))}
        {busy && <Progress done={done} total={count} />}
      </form>
    </Dialog>
  );
}

function Progress({ done, total }: { readonly done: number; readonly total: number }) {
  const t = useT();
  return (
    <div className="grid gap-1">
      <progress
        className="h-2 w-full accent-(--accent-solid)"
        aria-label={t('bulk:progress')}
        max={total}
        value={done}
      />
      <span className="text-meta text-ink-2 tabular-nums">
        {done} / {total}
      </span>
    </div>
  );
}

function Failures({
  failed,
}: {
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
}) {
  const t = useT();
  const more = failed.length - FAILURES_SHOWN;
  return (
    <Note tone="danger" announce>
      {t('bulk:failed', { count: failed.length })}
      <ul className="mt-1 max-h-40 overflow-y-auto">
        {failed.slice(0, FAILURES_SHOWN).map(({ name, reason }) => (
          <li key={name}>
            <span className="font-medium">{name}</span>: {reason}
          </li>
        ))}
        {more > 0 && <li className="text-ink-3">+{more}</li>}
      </ul>
    </Note>
  );
}
