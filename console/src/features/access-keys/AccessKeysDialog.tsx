import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { withFactorShown } from '#/domain/mfa';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { confirm } from '#/ui/confirm';
import { Dialog } from '#/ui/dialog';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState, StateView } from '#/ui/states';
import { toast, toastSucceeded } from '#/ui/toast';
import {
  type AccessKey,
  accessKeysKey,
  changeKey,
  createKey,
  deleteKey,
  fetchKeys,
  type KeyChanges,
  setKeyActive,
} from './api';
import { KeyForm } from './KeyForm';
import { KeyRow } from './KeyRow';
import { NewKey } from './NewKey';

const COLUMNS = ['id', 'secret', 'is_active', 'date_expired', 'date_last_used', 'date_created', 'actions'];
const FORM = 'access-key-form';
const FIELDS = ['comment', 'date_expired'];

function KeyTable({
  keys,
  onToggle,
  onEdit,
  onDelete,
}: {
  readonly keys: readonly AccessKey[];
  readonly onToggle: (key: AccessKey) => Promise<void>;
  readonly onEdit: (key: AccessKey) => void;
  readonly onDelete: (key: AccessKey) => void;
}) {
  const t = useT();
  return (
    <div className="overflow-x-auto">
      <table className="w-full min-w-[880px] border-collapse text-left">
        <thead className="bg-surface-2 text-meta text-ink-2">
          <tr>
            {COLUMNS.map((column) => (
              // i18n: access-keys:column.*
              <th key={column} scope="col" className="h-8 px-2 font-medium">
                {t(`access-keys:column.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <KeyRow
              key={key.id}
              made={key}
              onToggle={() => onToggle(key)}
              onEdit={() => onEdit(key)}
              onDelete={() => onDelete(key)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Edited = AccessKey | 'new' | null;

/**
 * Buttons of the form while a key is edited, otherwise those of the list. They have keys: a browser would submit the form
 * with the click that opens it if its button became the submit button.
 */
function Footer({
  edited,
  saving,
  onEdit,
  onClose,
}: {
  readonly edited: Edited;
  readonly saving: boolean;
  readonly onEdit: (edited: Edited) => void;
  readonly onClose: () => void;
}) {
  const t = useT();
  if (edited === null) {
    return (
      <>
        <Button onClick={onClose}>{t('ui:close')}</Button>
        <Button key="new" kind="primary" icon={Plus} onClick={() => onEdit('new')}>
          {t('access-keys:new')}
        </Button>
      </>
    );
  }
  return (
    <>
      <Button onClick={() => onEdit(null)}>{t('ui:cancel')}</Button>
      <Button key="store" kind="primary" type="submit" form={FORM} busy={saving}>
        {t(edited === 'new' ? 'access-keys:create' : 'access-keys:save')}
      </Button>
    </>
  );
}

/** API keys of the signed-in person: create, edit comment and end, enable, disable, delete. */
export default function AccessKeysDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useT();
  const queries = useQueryClient();
  const [made, setMade] = useState<AccessKey | null>(null);
  const [edited, setEdited] = useState<Edited>(null);
  const [saving, setSaving] = useState(false);
  const { data, error, refetch } = useQuery({ queryKey: accessKeysKey, queryFn: fetchKeys, staleTime: 0 });

  const refresh = () => queries.invalidateQueries({ queryKey: accessKeysKey });
  const reportFailure = (title: string, failure: unknown) => {
    const id = requestIdOf(failure);
    toast({ tone: 'error', text: `${title}: ${explain(failure)}`, ...(id ? { detail: `req ${id}` } : {}) });
  };
  const store = async (changes: KeyChanges) => {
    if (edited === 'new') {
      // In a trusted browser the second factor was not shown.
      setMade(await withFactorShown(() => createKey(changes)));
    } else if (edited && Object.keys(changes).length > 0) {
      await changeKey(edited.id, changes);
      toastSucceeded();
    }
    await refresh();
    setEdited(null);
  };
  const save = async (changes: KeyChanges): Promise<ValidationError | undefined> => {
    setSaving(true);
    try {
      await store(changes);
    } catch (failure) {
      if (failure instanceof ValidationError && FIELDS.some((name) => name in failure.fields)) return failure;
      reportFailure(t('access-keys:update_error'), failure);
    } finally {
      setSaving(false);
    }
    return undefined;
  };
  const toggle = async (key: AccessKey) => {
    try {
      await setKeyActive(key.id, !key.is_active);
      toastSucceeded();
      await refresh();
    } catch (failure) {
      reportFailure(t('access-keys:update_error'), failure);
    }
  };
  const remove = (key: AccessKey) =>
    confirm({
      title: t('access-keys:delete_title', { id: key.id.slice(0, 8) }),
      effect: t('access-keys:delete_effect'),
      names: [key.id],
      confirmLabel: t('access-keys:delete'),
      danger: true,
      failed: (reason) => `${t('access-keys:delete_error')}: ${reason}`,
      run: async () => {
        await deleteKey(key.id);
        if (made?.id === key.id) setMade(null);
        await refresh();
      },
    });

  return (
    <Dialog
      title={t('access-keys:title')}
      isOpen
      onClose={onClose}
      size="wizard"
      footer={<Footer edited={edited} saving={saving} onEdit={setEdited} onClose={onClose} />}
    >
      <p className="mb-3 text-ink-2">{t('access-keys:what')}</p>
      {made && !edited && <NewKey made={made} />}
      {edited ? (
        <KeyForm id={FORM} {...(edited === 'new' ? {} : { stored: edited })} onSubmit={save} />
      ) : error ? (
        <FailedState
          title={t('access-keys:failed')}
          message={explain(error)}
          requestId={requestIdOf(error)}
          onRetry={() => void refetch()}
        />
      ) : !data ? (
        <SkeletonLines lines={3} />
      ) : data.length === 0 ? (
        <StateView drawing="empty" title={t('access-keys:none')} />
      ) : (
        <KeyTable keys={data} onToggle={toggle} onEdit={setEdited} onDelete={(key) => void remove(key)} />
      )}
    </Dialog>
  );
}
