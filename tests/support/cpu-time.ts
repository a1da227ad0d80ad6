/** The CPU time that a piece of work costs this process, independent of other load on the machine. */

export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
