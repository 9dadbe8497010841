/** Leaving and reloading the page: one door, because tests can not replace the browser's own. */
export const browserLocation = {
  reload: () => location.reload(),
  assign: (address: string) => location.assign(address),
};
