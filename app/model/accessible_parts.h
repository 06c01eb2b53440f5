// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAccessible>
#include <QObject>
#include <QPointer>
#include <QRect>
#include <QString>
#include <vector>

namespace divisi::model {

/// A thing that a widget paints, as a screen reader is told of it.
struct AccessiblePart {
    QAccessible::Role role = QAccessible::ListItem;
    QString name, description = {}, value = {};
    QAccessible::State state = {};
    QRect place = {};  ///< in the widget
};

/// A widget that paints things says here what they are. Numbers are of this moment: things come and go.
class AccessiblePicture {
public:
    virtual int part_count() const = 0;
    /// `number`: from 0, below part_count().
    virtual AccessiblePart part(int number) const = 0;

protected:
    AccessiblePicture() = default;
    AccessiblePicture(const AccessiblePicture&) = default;
    AccessiblePicture& operator=(const AccessiblePicture&) = default;
    ~AccessiblePicture() = default;
};

/// One of the things, as a child of its widget.
class PartInterface : public QAccessibleInterface {
public:
    /// `picture` lives as long as `owner`, which is the widget.
    PartInterface(QObject* owner, const AccessiblePicture& picture, int number)
        : owner_(owner), picture_(picture), number_(number) {}

    int number() const { return number_; }
    bool isValid() const override { return owner_ && number_ < picture_.part_count(); }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* parent() const override;
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QString text(QAccessible::Text what) const override;
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override;
    QAccessible::Role role() const override { return now().role; }
    QAccessible::State state() const override { return now().state; }

private:
    AccessiblePart now() const { return isValid() ? picture_.part(number_) : AccessiblePart(); }

    QPointer<QObject> owner_;
    const AccessiblePicture& picture_;
    int number_;
};

/// The things of a widget as its children, behind its widgets. `Base` is QAccessibleWidget, which this folder does not
/// know; `Widget` is an AccessiblePicture.
template <typename Base, typename Widget>
class PictureInterface : public Base {
public:
    PictureInterface(Widget& widget, QAccessible::Role role) : Base(&widget, role), owner_(&widget), picture_(widget) {}
    ~PictureInterface() override {
        for (const QAccessible::Id id : parts_) QAccessible::deleteAccessibleInterface(id);
    }

    int childCount() const override { return Base::childCount() + picture_.part_count(); }
    QAccessibleInterface* child(int index) const override {
        const int widgets = Base::childCount();
        return index < widgets ? Base::child(index) : part(index - widgets);
    }
    int indexOfChild(const QAccessibleInterface* child) const override {
        const auto* part = dynamic_cast<const PartInterface*>(child);
        return part ? Base::childCount() + part->number() : Base::indexOfChild(child);
    }
    /// Things lie over the widget that they are painted on.
    QAccessibleInterface* childAt(int x, int y) const override {
        const QPoint at = QPoint(x, y) - Base::rect().topLeft();
        for (int number = 0; number < picture_.part_count(); ++number)
            if (picture_.part(number).place.contains(at)) return part(number);
        return Base::childAt(x, y);
    }

private:
    /// Made when it is asked for: there may be thousands.
    QAccessibleInterface* part(int number) const {
        if (number < 0 || number >= picture_.part_count()) return nullptr;
        for (auto next = static_cast<int>(parts_.size()); next <= number; ++next)
            parts_.push_back(QAccessible::registerAccessibleInterface(new PartInterface(owner_, picture_, next)));
        return QAccessible::accessibleInterface(parts_[static_cast<std::size_t>(number)]);
    }

    QObject* owner_;
    const AccessiblePicture& picture_;
    mutable std::vector<QAccessible::Id> parts_;
};

}  // namespace divisi::model
