"""The browser room: a pool of browsers that are watched, replaced before they spoil, and never left behind.

What others use of it:

    pool = BrowserPool(options, ChromiumFleet(chromium_options, clock, bus), clock, bus)
    await pool.start()
    async with pool.lease(ContextNeed(source="crex", profile=Profile(locale="en-GB")), seconds=60) as lease:
        page = await lease.new_page()
        await lease.call(lambda: page.goto(url, wait_until="commit"), seconds=10)
        lease.renew(60)
    await pool.stop()

`bootstrap` hands in the folder, the executable and the address of the filtering proxy. Nobody else starts a browser.
"""
