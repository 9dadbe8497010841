import { LoaderCircle } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { Dialog } from '#/ui/dialog';
import { Note } from '#/ui/note';
import { visible } from '#/ui/visible-text';
import type { StorageKind } from './addresses';
import type { StorageRow } from './storage-row';
import { useStorageTest } from './use-storage-test';

/** What is being tried, and then how it ended. */
function Outcome({
  kind,
  test,
}: {
  readonly kind: StorageKind;
  readonly test: ReturnType<typeof useStorageTest>;
}) {
  const t = useT();
  const { isRunning, outcome } = test;
  // i18n: storages:test.how.*
  return (
    <div className="grid gap-3">
      <p className="text-ink-2">{t(`storages:test.how.${kind}`)}</p>
      {isRunning && (
        <p role="status" className="flex items-center gap-2">
          <LoaderCircle className="pt-spin text-accent" aria-hidden />
          {t('storages:test.running')}
        </p>
      )}
      {outcome && (
        <Note tone={outcome.isOk ? 'ok' : 'danger'} announce>
          {visible(outcome.text)}
        </Note>
      )}
    </div>
  );
}

/** Tests a storage at once, and shows the result. */
export function StorageTestDialog({
  kind,
  row,
  onClose,
}: {
  readonly kind: StorageKind;
  readonly row: Pick<StorageRow, 'id' | 'name'>;
  readonly onClose: () => void;
}) {
  const t = useT();
  const test = useStorageTest(kind, row.id);
  const { run } = test;
  const isStarted = useRef(false);
  useEffect(() => {
    if (isStarted.current) return;
    isStarted.current = true;
    void run();
  }, [run]);
  return (
    <Dialog
      title={t('storages:test.title', { name: visible(row.name) })}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button busy={test.isRunning} onClick={() => void run()}>
            {t('storages:test.again')}
          </Button>
          <Button kind="primary" onClick={onClose}>
            {t('ui:close')}
          </Button>
        </>
      }
    >
      <Outcome kind={kind} test={test} />
    </Dialog>
  );
}

/** Beside the form of a storage: tests what is saved. */
export function StorageTestCard({ kind, id }: { readonly kind: StorageKind; readonly id: string }) {
  const t = useT();
  const test = useStorageTest(kind, id);
  return (
    <Card title={t('storages:test.action')} aside={t('storages:test.saved_values')}>
      <div className="grid gap-3">
        <Outcome kind={kind} test={test} />
        <div>
          <Button busy={test.isRunning} onClick={() => void test.run()}>
            {t('storages:test.action')}
          </Button>
        </div>
      </div>
    </Card>
  );
}
