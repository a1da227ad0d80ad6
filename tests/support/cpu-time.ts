/** How much a piece of work costs this process, whoever else uses the machine at the same time. */

export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
