"""Records what croniter (PyPI) says about random cron expressions, for the test beside this file.

    python3 -m venv v && v/bin/pip install croniter && v/bin/python record.py 1100 [SEED] > croniter.tsv

Each line: expression, time zone, moment, and the first whole minute after it at which croniter matches what a clock on the
wall shows there; `never` if there is none within 366 days. Moments lie around changes to and from summer time.
"""
import datetime as dt
import random
import sys
import zoneinfo

from croniter import croniter

random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 20261118)
MOMENTS = {
    "UTC": ["2026-02-27T23:58", "2027-12-31T23:59", "2028-02-28T12:00"],
    "Europe/Berlin": ["2026-03-28T20:00", "2026-10-24T20:00", "2026-06-01T00:00"],
    "America/New_York": ["2026-03-07T20:00", "2026-10-31T20:00"],
    "Australia/Lord_Howe": ["2026-04-04T10:00", "2026-10-03T10:00"],
    "Asia/Kathmandu": ["2026-05-05T05:05"],
    "America/Sao_Paulo": ["2026-01-01T00:00"],
    "Africa/Casablanca": ["2026-02-14T00:00", "2026-03-20T00:00"],
    "Asia/Beirut": ["2026-03-28T12:00", "2026-10-24T12:00"],
    "Pacific/Auckland": ["2026-04-04T10:00", "2026-09-26T10:00"],
}


def field(low, high, star):
    chance = random.random()
    if chance < star:
        return "*"
    if chance < star + 0.15:
        return f"*/{random.randint(2, max(2, (high - low) // 2))}"
    if chance < star + 0.4:
        return str(random.randint(low, high))
    if chance < star + 0.5:
        # croniter reads `4-4` as the whole range, and `0-7` of weekdays in its own way.
        high = 6 if high == 7 else high
        first = random.randint(low, high - 1)
        last = random.randint(first + 1, high)
        return f"{first}-{last}" if random.random() < 0.5 else f"{first}-{last}/{random.randint(1, 5)}"
    return ",".join(str(n) for n in sorted(random.sample(range(low, high + 1), 3)))


def expression():
    days = 28 if random.random() < 0.8 else 31
    bounds = [(0, 59, 0.35), (0, 23, 0.35), (1, days, 0.5), (1, 12, 0.6), (0, 7, 0.5)]
    return " ".join(field(*bound) for bound in bounds)


def following(text, start, zone):
    minute, hour, *day_fields = text.split()
    minutes = {n for n in range(60) if croniter.match(f"{minute} * * * *", dt.datetime(2026, 1, 1, 0, n))}
    hours = {n for n in range(24) if croniter.match(f"* {hour} * * *", dt.datetime(2026, 1, 1, n, 0))}
    first = start.astimezone(zone).date()
    for ahead in range(368):
        day = first + dt.timedelta(days=ahead)
        if not croniter.match("* * " + " ".join(day_fields), dt.datetime(day.year, day.month, day.day, 12)):
            continue
        begin = dt.datetime(day.year, day.month, day.day, tzinfo=dt.timezone.utc) - dt.timedelta(hours=15)
        for minute_of_day in range(54 * 60):
            moment = begin + dt.timedelta(minutes=minute_of_day)
            wall = moment.astimezone(zone)
            if moment > start and wall.date() == day and wall.minute in minutes and wall.hour in hours:
                return moment if moment <= start + dt.timedelta(days=366) else None
    return None


count = 0
while count < int(sys.argv[1]):
    text, name = expression(), random.choice(list(MOMENTS))
    if not croniter.is_valid(text):
        continue
    zone = zoneinfo.ZoneInfo(name)
    start = dt.datetime.fromisoformat(random.choice(MOMENTS[name])).replace(tzinfo=zone).astimezone(dt.timezone.utc)
    found = following(text, start, zone)
    shown = f"{found:%Y-%m-%dT%H:%M:%SZ}" if found else "never"
    print(text, name, f"{start:%Y-%m-%dT%H:%M:%SZ}", shown, sep="\t")
    count += 1
