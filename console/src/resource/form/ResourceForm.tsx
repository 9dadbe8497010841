import { useQuery } from '@tanstack/react-query';
import { useBlocker, useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router';
import { type ComponentProps, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useForm, type UseFormReturn, useWatch } from 'react-hook-form';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import type { QueryValues } from '#/lib/http/query-string';
import { NotFoundError, ValidationError } from '#/lib/http/errors';
import { translate, useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { confirm } from '#/ui/confirm';
import { splitTarget } from '#/ui/link';
import { Note } from '#/ui/note';
import { PageHeader } from '#/ui/page';
import { usePage } from '#/ui/page-title';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { toast } from '#/ui/toast';
import type { FieldMap, Metadata } from '../api';
import type {
  FieldGroup,
  FieldSpec,
  FormDefinition,
  FormMode,
  FormValues,
  Resource,
  ResourceDefinition,
} from '../define';
import { whyFixed } from '../list/object-actions';
import { objectPath } from '../routes';
import { useBarsWrites } from '../use-bars-writes';
import { useMetadata } from '../use-metadata';
import { FieldControl } from './FieldControl';
import { focusField } from './focus-field';
import { SaveBar } from './SaveBar';
import { sortErrors } from './server-errors';
import { initialValues, objectValues, payloadOf } from './values';
import { labelOf, useFocusOnFirst, wrongNames } from './wrong-fields';

const NO_FIELDS: FieldMap = {};
const NO_SPECS: Readonly<Record<string, FieldSpec>> = {};
/** With more errors than this, a summary links to the fields. */
const SUMMARY_ABOVE = 5;
/** Fields that a clone does not take over from its origin. */
const NOT_CLONED = new Set(['id', 'name', 'hostname', 'username', 'email']);

type Search = Readonly<Record<string, string>>;

/** Loads metadata and object, then shows the form. */
export function ResourceForm<Row extends Resource>({
  resource,
  mode,
  onInvalid,
}: {
  readonly resource: ResourceDefinition<Row>;
  readonly mode: FormMode;
  /** Called when the person tried to save invalid values, with the names of the fields. Nothing was sent. */
  readonly onInvalid?: (names: readonly string[]) => void;
}) {
  const t = useT();
  const { id }: { id?: string } = useParams({ strict: false });
  const search: Search = useSearch({ strict: false });
  const { form: definition, routes } = resource;
  const sourceId = mode === 'update' ? id : search['clone_from'];
  const path = mode === 'update' ? `${resource.api}${id}/` : resource.api;
  const object = useQuery({
    queryKey: ['object', resource.api, sourceId],
    queryFn: () => http.get<FormValues>(`${resource.api}${sourceId}/`, { quiet: true }),
    enabled: sourceId !== undefined,
    staleTime: 0,
    gcTime: 0,
  });
  // What a clone's fields depend on is not in the address, but in its origin.
  const isClone = mode === 'create' && sourceId !== undefined && definition?.query !== undefined;
  const metadata = useMetadata(
    path,
    definition?.query?.(isClone ? (object.data ?? {}) : search),
    !isClone || object.isSuccess,
  );
  const title = t(routes.titles[mode] ?? routes.titles.list);
  const back = {
    to: definition?.backTo?.(object.data ?? search) ?? routes.paths.list,
    label: t(routes.titles.list),
  };
  const error = metadata.error ?? object.error;
  const ready = metadata.data && (sourceId === undefined || object.data);
  if (!definition) return null;
  if (error) {
    return (
      <>
        <PageHeader title={title} back={back} />
        <FailedState
          title={
            error instanceof NotFoundError
              ? t('resource:gone')
              : t('resource:failed', { noun: t(resource.noun.one) })
          }
          message={explain(error)}
          requestId={requestIdOf(error)}
          onRetry={() => {
            void metadata.refetch();
            if (sourceId !== undefined) void object.refetch();
          }}
        />
      </>
    );
  }
  if (!ready || !metadata.data) {
    return (
      <>
        <PageHeader title={title} back={back} />
        <div className="pt-card mt-3 max-w-(--form-max)" aria-busy="true">
          <SkeletonLines lines={9} />
        </div>
      </>
    );
  }
  const actions = metadata.data.actions;
  return (
    <LoadedForm
      key={`${mode}-${sourceId ?? ''}`}
      resource={resource}
      definition={definition}
      mode={mode}
      id={id}
      fields={fieldsFor(actions, mode, definition) ?? NO_FIELDS}
      object={object.data}
      search={search}
      title={title}
      back={back}
      onInvalid={onInvalid}
    />
  );
}

function fieldsFor(actions: Metadata['actions'], mode: FormMode, definition: FormDefinition) {
  if (mode === 'create') return actions.POST;
  return definition.method === 'patch' ? actions.PATCH : (actions.PUT ?? actions.PATCH);
}

interface LoadedFormProps<Row extends Resource> {
  readonly resource: ResourceDefinition<Row>;
  readonly definition: FormDefinition;
  readonly mode: FormMode;
  readonly id: string | undefined;
  readonly fields: FieldMap;
  readonly object: FormValues | undefined;
  readonly search: Search;
  readonly title: string;
  readonly back: { readonly to: string; readonly label: string };
  readonly onInvalid: ((names: readonly string[]) => void) | undefined;
}

function groupsFor(definition: FormDefinition, mode: FormMode, values: FormValues): readonly FieldGroup[] {
  return typeof definition.groups === 'function' ? definition.groups({ mode, values }) : definition.groups;
}

function startValues<Row extends Resource>(props: LoadedFormProps<Row>): FormValues {
  const { definition, mode, fields, object, search } = props;
  const own = definition.initial?.(search) ?? {};
  const specs = definition.fields ?? NO_SPECS;
  const names = groupsFor(definition, mode, { ...own, ...object }).flatMap((group) => group.fields);
  if (mode === 'update' && object) return objectValues(object, names, fields, specs);
  const fresh = initialValues(fields, names, own, specs);
  if (!object) return fresh;
  const copied = objectValues(object, names, fields, specs);
  for (const name of names) {
    // Fields that the API does not return (secrets, questions of the form itself) start as in an empty form.
    if (NOT_CLONED.has(name) || fields[name]?.write_only || !(name in object)) delete copied[name];
  }
  return { ...fresh, ...copied };
}

/** Asks before a form with unsaved changes is left. Returns a function that leaves a saved form without asking. */
function useLeave(isDirty: boolean): (target: string) => Promise<void> {
  const t = useT();
  const router = useRouter();
  const navigate = useNavigate();
  const left = useRef(false);
  useBlocker({
    shouldBlockFn: async () => {
      if (left.current || !isDirty) return false;
      return !(await confirm({
        title: t('resource:form.leave.question'),
        effect: t('resource:form.leave.effect'),
        confirmLabel: t('resource:form.leave.confirm'),
        cancelLabel: t('resource:form.leave.stay'),
        danger: true,
      }));
    },
    enableBeforeUnload: () => isDirty && !left.current,
  });
  return async (target) => {
    left.current = true;
    const formPath = router.state.location.pathname;
    await navigate(splitTarget(target));
    if (router.state.location.pathname !== formPath) usePage.setState({ finished: formPath });
  };
}

interface FieldTexts {
  readonly fields: FieldMap;
  readonly specs: Readonly<Record<string, FieldSpec>>;
}

/** How many fields are invalid, with a link to each. */
function ErrorSummary({ names, fields, specs }: FieldTexts & { readonly names: readonly string[] }) {
  const t = useT();
  return (
    <Note tone="danger" announce>
      {t('resource:form.summary', { count: names.length })}
      <ul className="mt-1 flex flex-wrap gap-x-3">
        {names.map((name) => (
          <li key={name}>
            <button type="button" className="pt-link underline" onClick={() => focusField(name)}>
              {labelOf(name, fields, specs, t)}
            </button>
          </li>
        ))}
      </ul>
    </Note>
  );
}

function FieldGroups({
  groups,
  fields,
  specs,
  form,
  context,
}: FieldTexts &
  Pick<ComponentProps<typeof FieldControl>, 'form' | 'context'> & {
    readonly groups: readonly FieldGroup[];
  }) {
  const t = useT();
  return groups.map((group) => (
    <fieldset key={group.title} className="grid gap-2.5">
      <legend className="mb-2.5 w-full border-b border-line pb-1.5 text-meta font-semibold text-ink-2">
        {t(group.title)}
      </legend>
      {group.fields.map((name) => (
        <FieldControl
          key={name}
          name={name}
          meta={fields[name]}
          spec={specs[name] ?? {}}
          form={form}
          context={context}
          specs={specs}
        />
      ))}
    </fieldset>
  ));
}

/** Keeps the untouched fields of a new object at the values that follow from other fields. */
function useFollowing(
  mode: FormMode,
  names: readonly string[],
  specs: Readonly<Record<string, FieldSpec>>,
  form: UseFormReturn<FormValues>,
  values: FormValues,
): void {
  const { dirtyFields } = form.formState;
  useEffect(() => {
    if (mode !== 'create') return;
    for (const name of names) {
      const wanted = specs[name]?.follows?.(values);
      if (wanted === undefined || dirtyFields[name] === true || values[name] === wanted) continue;
      form.setValue(name, wanted);
    }
  }, [mode, names, specs, form, values, dirtyFields]);
}

/** Sends the object: POST for a new object, else the method of the definition. */
function write<Row extends Resource>(
  { resource, definition, mode, id }: LoadedFormProps<Row>,
  payload: FormValues,
  query: QueryValues | undefined,
): Promise<Row> {
  const options = { quiet: true, query } as const;
  if (mode === 'create') return http.post<Row>(resource.api, payload, options);
  return http[definition.method ?? 'put']<Row>(`${resource.api}${id}/`, payload, options);
}

/**
 * Merges what others saved since the form was opened into the form. False when the person goes back to the form instead
 * of replacing it. `start`: the values that the form began with; they become those that are stored.
 */
async function mergeOthers<Row extends Resource>(
  { resource, definition, id, fields }: LoadedFormProps<Row>,
  form: UseFormReturn<FormValues>,
  names: readonly string[],
  start: { current: FormValues },
): Promise<boolean> {
  const specs = definition.fields ?? NO_SPECS;
  const row = await http.get<FormValues>(`${resource.api}${id}/`, { quiet: true });
  const stored = objectValues(row, names, fields, specs);
  const { agreed } = await import('./others/agree');
  const versions = { start: start.current, mine: form.getValues(), stored };
  // A stored secret is never sent to the form, and blank fields of secrets leave it as it is.
  const compared = names.filter((name) => name in row && !fields[name]?.write_only && !specs[name]?.local);
  const kept = await agreed(compared, versions, (name) => labelOf(name, fields, specs, translate));
  if (kept === null) return false;
  for (const [name, value] of Object.entries(kept)) form.setValue(name, value);
  start.current = stored;
  return true;
}

/** Saves the form and shows refusals at its fields. `focusWanted` increases with each failed attempt. */
function useSave<Row extends Resource>(
  props: LoadedFormProps<Row>,
  form: UseFormReturn<FormValues>,
  names: readonly string[],
  start: FormValues,
  leave: (target: string) => Promise<void>,
) {
  const { resource, definition, mode, fields } = props;
  const specs = definition.fields ?? NO_SPECS;
  const t = useT();
  const [general, setGeneral] = useState<string | null>(null);
  const [focusWanted, setFocusWanted] = useState(0);

  const seen = useRef(start);

  const showRefusal = (error: unknown) => {
    if (!(error instanceof ValidationError)) {
      const failed = mode === 'create' ? 'resource:form.create_failed' : 'resource:form.update_failed';
      setGeneral(t(failed, { reason: explain(error) }));
      return;
    }
    const sorted = sortErrors(error.fields, names, fields);
    for (const [field, message] of sorted.fields) form.setError(field, { type: 'server', message });
    if (sorted.general.length > 0) setGeneral(sorted.general.join('; '));
    setFocusWanted((count) => count + 1);
  };
  const save = async (again: boolean) => {
    setGeneral(null);
    try {
      if (mode === 'update' && !(await mergeOthers(props, form, names, seen))) return;
    } catch (error) {
      showRefusal(error);
      return;
    }
    const sent = payloadOf(form.getValues(), names, fields, specs);
    const payload = definition.toPayload?.(sent, { mode, values: form.getValues() }) ?? sent;
    const query = definition.query?.(form.getValues());
    let saved: Row;
    // Only the request itself may report a failed save: whatever fails afterwards, the object is saved.
    try {
      const send = () => write(props, payload, query);
      const answer = definition.around ? await definition.around(send) : await send();
      if (answer === null) return;
      saved = answer;
    } catch (error) {
      showRefusal(error);
      return;
    }
    const name = resource.nameOf(saved);
    toast({
      tone: 'ok',
      text: t(mode === 'create' ? 'resource:form.created' : 'resource:form.updated', { name }),
    });
    await definition.saved?.(saved, { mode, values: form.getValues() });
    await queryClient.invalidateQueries({ queryKey: ['list'] });
    if (again) {
      form.reset(start);
      focusField(names[0] ?? '');
      return;
    }
    const target =
      definition.opensDetail === mode ? objectPath(resource.routes.paths.detail, saved.id) : props.back.to;
    await leave(target);
  };
  const trySave = (again: boolean) => {
    void form.handleSubmit(
      () => save(again),
      (problems) => {
        props.onInvalid?.(wrongNames(problems, names));
        setFocusWanted((count) => count + 1);
      },
    )();
  };
  return { general, focusWanted, trySave };
}

function LoadedForm<Row extends Resource>(props: LoadedFormProps<Row>) {
  const { definition, mode, id, fields, title, back } = props;
  const t = useT();
  const formId = useId();
  const navigate = useNavigate();
  const isRoot = useBarsWrites(props.resource);
  const specs = definition.fields ?? NO_SPECS;
  // The initial values are fixed for the life of this form; `key` creates a new form for another object.
  const [start] = useState(() => startValues(props));
  const form = useForm<FormValues>({ defaultValues: start, mode: 'onTouched', shouldFocusError: false });
  const watched = useWatch({ control: form.control });
  const values = useMemo<FormValues>(() => ({ ...start, ...watched }), [start, watched]);
  const context = { mode, values, stored: mode === 'update' ? props.object : undefined };
  const groups = groupsFor(definition, mode, values)
    .map((group) => ({ ...group, fields: group.fields.filter((name) => !specs[name]?.isHidden?.(context)) }))
    .filter((group) => group.fields.length > 0);
  const names = groups.flatMap((group) => group.fields);
  const { isDirty, isSubmitting, errors, submitCount } = form.formState;
  useFollowing(mode, names, specs, form, values);
  const leave = useLeave(isDirty);
  const { general, focusWanted, trySave } = useSave(props, form, names, start, leave);

  const wrong = wrongNames(errors, names);
  useFocusOnFirst(wrong[0], focusWanted);
  const whyNot = isRoot
    ? t('resource:not_in_root')
    : Object.keys(fields).length === 0
      ? t('resource:not_allowed')
      : mode === 'update' && props.object
        ? whyFixed(props.resource, props.object as unknown as Row)
        : undefined;
  const aside = definition.aside?.({ ...context, id });
  return (
    <>
      <PageHeader title={title} back={back} />
      <div
        className={`mt-3 grid grow grid-cols-1 content-start items-start gap-4 ${aside ? 'lg:grid-cols-[minmax(0,1fr)_408px]' : ''}`}
      >
        <form
          id={formId}
          noValidate
          aria-label={title}
          className={aside ? '' : 'max-w-(--form-max)'}
          onSubmit={(event) => {
            event.preventDefault();
            trySave(false);
          }}
        >
          <div className="pt-card grid gap-5 p-5">
            {whyNot !== undefined && <Note tone="warn">{whyNot}</Note>}
            {general !== null && (
              <Note tone="danger" announce>
                {general}
              </Note>
            )}
            {submitCount > 0 && wrong.length > SUMMARY_ABOVE && (
              <ErrorSummary names={wrong} fields={fields} specs={specs} />
            )}
            <FieldGroups
              groups={groups}
              fields={fields}
              specs={specs}
              form={form.control}
              context={context}
            />
          </div>
        </form>
        {aside}
      </div>
      <SaveBar
        form={formId}
        mode={mode}
        busy={isSubmitting}
        disabled={whyNot !== undefined}
        onAgain={() => trySave(true)}
        onReset={() => form.reset(start)}
        onCancel={() => void navigate(splitTarget(back.to))}
      />
    </>
  );
}
