import { useEffect, useEffectEvent, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { isManual } from '#/domain/entered-credentials/api';
import { toast } from '#/ui/toast';
import { grantedAsset, type GrantedAsset, type GrantedSystemUser, usableSystemUsers } from './api';
import { openTab } from './workspace';

/** What must be resolved before the session of an asset can start: the choice of an account, or missing access. */
export interface Opening {
  readonly choice: {
    readonly asset: GrantedAsset;
    readonly systemUsers: readonly GrantedSystemUser[];
  } | null;
  /** Id of the asset that is not granted to the person. */
  readonly noAccess: string | null;
  readonly choose: (asset: GrantedAsset) => Promise<void>;
  readonly start: (asset: GrantedAsset, systemUser: GrantedSystemUser) => void;
  readonly leave: () => void;
}

/** Opens sessions of assets. The asset named in the address (`?asset=<id>`) is opened at once. */
export function useOpening(onStart: () => void): Opening {
  const [choice, setChoice] = useState<Opening['choice']>(null);
  const [noAccess, setNoAccess] = useState<string | null>(null);
  const leave = (): void => {
    setChoice(null);
    setNoAccess(null);
  };
  const start: Opening['start'] = (asset, systemUser) => {
    leave();
    onStart();
    openTab({ assetId: asset.id, assetName: asset.hostname, address: asset.ip, systemUser });
  };
  const choose: Opening['choose'] = async (asset) => {
    try {
      const systemUsers = await usableSystemUsers(asset.id);
      const [only] = systemUsers;
      if (only === undefined) setNoAccess(asset.id);
      else if (systemUsers.length === 1 && !isManual(only)) start(asset, only);
      else setChoice({ asset, systemUsers });
    } catch (error) {
      toast({ tone: 'error', text: explain(error) });
    }
  };
  const openFromAddress = useEffectEvent(async (id: string) => {
    try {
      const [asset] = (await grantedAsset(id)).results;
      if (asset) await choose(asset);
      else setNoAccess(id);
    } catch (error) {
      toast({ tone: 'error', text: explain(error) });
    }
  });
  useEffect(() => {
    const address = new URL(location.href);
    const id = address.searchParams.get('asset');
    if (id === null) return;
    // Removes the parameter, so that reloading the page does not open another session.
    address.searchParams.delete('asset');
    history.replaceState(history.state, '', address);
    // The state changes only after the server's answer.
    // oxlint-disable-next-line react/set-state-in-effect
    void openFromAddress(id);
  }, []);
  return { choice, noAccess, choose, start, leave };
}
