/** Leaving and reloading the page. All code uses this object, because tests cannot replace the browser's own. */
export const browserLocation = {
  reload: () => location.reload(),
  assign: (address: string) => location.assign(address),
};
