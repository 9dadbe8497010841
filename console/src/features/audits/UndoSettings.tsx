import { Undo2 } from 'lucide-react';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { useMay } from '#/lib/session';
import { Button } from '#/ui/button';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';

/** Restores the values that system settings had before this event. */
export function UndoSettings({ record }: { readonly record: string }) {
  const t = useT();
  const mayUndo = useMay('super');
  if (!mayUndo) return null;
  const undo = async () => {
    const isUndone = await confirm({
      title: t('audits:undo.question'),
      effect: t('audits:undo.effect'),
      confirmLabel: t('audits:undo.confirm'),
      run: () => http.post('settings/setting/undo/', { record }, { quiet: true }),
    });
    if (!isUndone) return;
    toast({ tone: 'ok', text: t('audits:undo.done') });
    await queryClient.invalidateQueries({ queryKey: ['list'] });
  };
  return (
    <div>
      <Button size="sm" icon={Undo2} onClick={() => void undo()}>
        {t('audits:undo.confirm')}
      </Button>
    </div>
  );
}
