"""Orders, and what they cost."""

from dataclasses import dataclass, field
from decimal import Decimal


@dataclass
class Item:
    name: str
    price: Decimal
    count: int = 1

    def total(self) -> Decimal:
        return self.price * self.count


@dataclass
class Order:
    items: list[Item] = field(default_factory=list)
    paid: bool = False

    def add(self, item: Item) -> None:
        """Add an item, or more of one that is there.

        Items are the same if their names are:
            an apple is an apple.
        """
        for known in self.items:
            if known.name == item.name:
                known.count += item.count
                return
        self.items.append(item)

    def remove(self, name: str) -> bool:
        for known in self.items:
            if known.name == name:
                self.items.remove(known)
                return True
        return False

    def total(self) -> Decimal:
        result = Decimal(0)
        for item in self.items:
            result += item.total()
        return result


def checkout(order: Order, wallet: Decimal) -> Decimal:
    total = order.total()
    if total > wallet:
        raise ValueError("not enough money")
    order.paid = True
    return wallet - total


def refund(order: Order, wallet: Decimal) -> Decimal:
    total = order.total()
    if not order.paid:
        raise ValueError("never paid")
    order.paid = False
    return wallet + total


QUERY = """
select name,
       price
  from items
 where price > 0
"""


class Shop:
    def __init__(self, name, orders=None):
        self.name = name
        self.orders = orders or []

    def open_orders(self):
        return [order for order in self.orders if not order.paid]

    def paid_orders(self):
        return [order for order in self.orders if order.paid]

    def report(self):
        lines = []
        for order in self.open_orders():
            lines.append(f"open: {order.total()}")
        for order in self.paid_orders():
            lines.append(f"paid: {order.total()}")
        return "\n".join(lines)


if __name__ == "__main__":
    shop = Shop("corner")
    print(shop.report())
