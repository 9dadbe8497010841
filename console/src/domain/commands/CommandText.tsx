import { useT } from '#/lib/i18n';
import { VisibleText } from '#/ui/visible-text';
import { type CommandRow, isRefused } from './command-row';

/** i18n: commands:kind.* */
export function CommandText({ command }: { readonly command: CommandRow }) {
  const t = useT();
  if (command.kind === 'hidden' || command.kind === 'unknown') {
    return <span className="text-ink-3">{t(`commands:kind.${command.kind}`)}</span>;
  }
  const line = (
    <code className="font-mono text-meta">
      <VisibleText text={command.input} />
    </code>
  );
  return isRefused(command) ? <del className="text-ink-3">{line}</del> : line;
}
