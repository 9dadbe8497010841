import { explain } from '#/lib/http/catalogue';
import { translate } from '#/lib/i18n';
import type { FieldContext, FieldSpec, FormDefinition, NamesOf } from '#/resource/define';
import { lazyPart } from '#/resource/lazy-part';
import { toast } from '#/ui/toast';
import type { StorageKind } from './addresses';
import { forgetNames, type storageApi, type StorageRow, testStorage } from './storage-row';

type Written = NamesOf<(typeof storageApi)[StorageKind]>['written'];

const TestCard = lazyPart(async () => (await import('./StorageTest')).StorageTestCard);

const SECRETS = ['ACCESS_KEY', 'SECRET_KEY', 'ACCOUNT_KEY'] as const;

function endpointOf(values: FieldContext['stored']): unknown {
  return (values?.['meta'] as Record<string, unknown> | undefined)?.['ENDPOINT'];
}

/** Stored keys are not sent to another endpoint, so they are entered again with it. */
function isMoved({ mode, values, stored }: FieldContext): boolean {
  return mode === 'update' && stored !== undefined && endpointOf(values) !== endpointOf(stored);
}

const SECRET: FieldSpec = {
  control: 'password',
  help: (context) => (isMoved(context) ? 'storages:form.secret_again' : 'storages:form.secret_sealed'),
  required: (context) => context.mode === 'create' || isMoved(context),
  irremovable: true,
};

/** There is always one default, so that it is replaced, never removed. */
function isTheDefault({ stored }: FieldContext): boolean {
  return stored?.['is_default'] === true;
}

/** Tests a new storage, and says the result where the person is by then. */
async function tryNew(kind: StorageKind, { id, name }: StorageRow): Promise<void> {
  try {
    const { is_valid: isOk, msg } = await testStorage(kind, id);
    toast(
      isOk
        ? { tone: 'ok', text: translate('storages:test.works', { name }), detail: msg }
        : { tone: 'error', text: translate('storages:test.fails', { name }), detail: msg, stays: true },
    );
  } catch (error) {
    const text = translate('storages:test.fails', { name });
    toast({ tone: 'error', text, detail: explain(error), stays: true });
  }
}

/** The form of a storage. Its type comes with the address, and the fields of the type from the metadata. */
export function storageForm(kind: StorageKind): FormDefinition<Written> {
  return {
    groups: [
      { title: 'storages:form.basic', fields: ['name', 'type'] },
      { title: 'storages:form.place', fields: ['meta'] },
      { title: 'storages:form.other', fields: ['is_default', 'comment'] },
    ],
    initial: (query) => ({ type: query['type'] }),
    query: (values) => (typeof values['type'] === 'string' ? { type: values['type'] } : {}),
    fields: {
      type: { control: 'select', isDisabled: () => true },
      meta: { flat: true },
      'meta.ENDPOINT': { control: 'input', placeholder: 'https://s3.example.com' },
      ...Object.fromEntries(SECRETS.map((name) => [`meta.${name}`, SECRET])),
      is_default: {
        control: 'switch',
        isDisabled: isTheDefault,
        help: (context) =>
          // i18n: storages:form.default.*
          isTheDefault(context) ? 'storages:form.stays_default' : `storages:form.default.${kind}`,
      },
      comment: { control: 'textarea' },
    },
    aside: ({ id }) => (id === undefined ? null : <TestCard kind={kind} id={id} />),
    saved: (answer, { mode }) => {
      forgetNames();
      // Not awaited: a storage that does not answer must not hold the form.
      if (mode === 'create') void tryNew(kind, answer as StorageRow);
    },
  };
}
