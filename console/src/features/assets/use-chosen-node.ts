import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { http } from '#/lib/http/client';
import { NotFoundError } from '#/lib/http/errors';
import { translate } from '#/lib/i18n';
import type { Api } from '#/lib/api-types';
import type { ChosenNode } from '#/domain/node-search/chosen-node';
import { toast } from '#/ui/toast';
import { useMoving } from './moving';

/** What was chosen last: `node` of the address `id`, or null if that was left. */
interface Choice {
  readonly id: string | undefined;
  readonly node: ChosenNode | null;
  readonly moves: number;
}

/**
 * The node of the address: as it was chosen in the tree, or from the server after a reload of the page or a move of nodes.
 * `onGone` is called when it no longer exists.
 */
export function useChosenNode(
  id: string | undefined,
  onGone: () => void,
): readonly [ChosenNode | null, (node: ChosenNode | null) => void] {
  const moves = useMoving((state) => state.moves);
  const [chosen, setChosen] = useState<Choice | null>(null);
  const isKnown = chosen !== null && chosen.id === id && chosen.moves === moves;
  const asked = useQuery({
    queryKey: ['node', id],
    queryFn: () => http.get<Api<'Node'>>(`assets/nodes/${id}/`, { quiet: true }),
    enabled: id !== undefined && !isKnown,
    retry: false,
  });
  const isGone = !isKnown && asked.error instanceof NotFoundError;
  useEffect(() => {
    if (!isGone) return;
    toast({ tone: 'info', text: translate('assets:node.gone') });
    onGone();
    // `onGone` is another function in each render; the question is asked once for each node.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isGone, id]);
  // The address follows later: until then, a node that was left (or deleted) is not asked for.
  const choose = (node: ChosenNode | null) => setChosen({ id: node ? node.id : id, node, moves });
  useEffect(() => {
    if (id === undefined) setChosen(null);
  }, [id]);
  if (isKnown) return [chosen.node, choose];
  const { data } = asked;
  const loaded = id === undefined || !data ? null : { id, key: data.key, label: data.name, type: 'node' };
  return [loaded ?? (chosen?.id === id ? (chosen?.node ?? null) : null), choose];
}
