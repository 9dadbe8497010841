import { useEffect } from 'react';
import { useT } from '#/lib/i18n';
import { MONITOR } from './addresses';

/** Leads to the task monitor, for addresses typed by hand and for the command palette. */
export function MonitorPage() {
  const t = useT();
  useEffect(() => window.location.replace(MONITOR), []);
  return (
    <p className="p-4">
      <a href={MONITOR}>{t('nav:task_monitor')}</a>
    </p>
  );
}
