import { Unplug } from 'lucide-react';
import { explain } from '#/lib/http/catalogue';
import { translate } from '#/lib/i18n';
import type { QuickAction } from '#/resource/define';
import { toast } from '#/ui/toast';
import type { SessionsOwner } from './end-sessions';

/** Keys of texts on the page of the object. */
interface Words {
  readonly label: string;
  readonly state: string;
  readonly button: string;
}

/** On the page of a person or an asset, for administrators: ends all of its live sessions. */
export function endSessionsAction<Row extends { readonly id: string }>(
  kind: SessionsOwner['kind'],
  nameOf: (row: Row) => string,
  words: Words,
): QuickAction<Row> {
  return {
    id: 'end-sessions',
    label: words.label,
    icon: Unplug,
    state: () => translate(words.state),
    control: {
      kind: 'button',
      label: words.button,
      run: async (row, tools) => {
        const { endSessions } = await import('./end-sessions');
        try {
          await endSessions({ kind, id: row.id, name: nameOf(row) }, tools);
        } catch (error) {
          toast({ tone: 'error', text: explain(error) });
        }
      },
    },
  };
}
