import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
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
  const [busy, setBusy] = useState(false);
  if (!mayUndo) return null;
  const undo = async () => {
    const agreed = await confirm({
      title: t('audits:undo.question'),
      effect: t('audits:undo.effect'),
      confirmLabel: t('audits:undo.confirm'),
    });
    if (!agreed) return;
    setBusy(true);
    try {
      await http.post('settings/setting/undo/', { record }, { quiet: true });
      toast({ tone: 'ok', text: t('audits:undo.done') });
      await queryClient.invalidateQueries({ queryKey: ['list'] });
    } catch (error) {
      toast({ tone: 'error', text: explain(error) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <div>
      <Button size="sm" icon={Undo2} busy={busy} onClick={() => void undo()}>
        {t('audits:undo.confirm')}
      </Button>
    </div>
  );
}
