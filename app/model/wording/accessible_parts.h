// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAccessible>
#include <QObject>
#include <QPointer>
#include <QRect>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

namespace divisi::model {

/// A numeric value that changes in steps of one.
struct AccessibleNumber {
    int now = 0, least = 0, most = 0;
};

/// A part painted by a widget, as described to a screen reader. On Linux, screen readers read only numeric values,
/// names and descriptions. A value that is a text is therefore also appended to the description.
struct AccessiblePart {
    QAccessible::Role role = QAccessible::ListItem;
    QString name, description = {}, value = {};
    QAccessible::State state = {};
    QRect place = {};  ///< bounds in widget coordinates
    std::optional<AccessibleNumber> number = {};
};

/// Lets a widget describe the parts that it paints. Part numbers are valid only at the time of the call, because parts
/// appear and disappear.
class AccessiblePicture {
public:
    virtual int part_count() const = 0;
    /// `number` counts from 0 and is less than part_count().
    virtual AccessiblePart part(int number) const = 0;
    /// Returns the part at a point of the widget; -1 if none.
    virtual int part_at(QPoint at) const;
    /// Changes the value of a numeric part. Ignores values that are not possible.
    virtual void change_part(int /*number*/, int /*to*/) {}
    /// Acts like a click on a part whose state is selectable or focusable.
    virtual void choose_part(int /*number*/) {}

protected:
    AccessiblePicture() = default;
    AccessiblePicture(const AccessiblePicture&) = default;
    AccessiblePicture& operator=(const AccessiblePicture&) = default;
    ~AccessiblePicture() = default;
};

/// These functions tell screen readers that a part has got the keyboard focus, or that its value has changed. `owner`
/// is the widget.
void tell_part_focused(QObject* owner, const AccessiblePicture& picture, int number);
void tell_part_changed(QObject* owner, const AccessiblePicture& picture, int number);

/// The accessible interface of one part, as a child of its widget.
class PartInterface : public QAccessibleInterface, public QAccessibleValueInterface, public QAccessibleActionInterface {
public:
    /// `owner` is the widget. `picture` must live as long as `owner`.
    PartInterface(QObject* owner, AccessiblePicture& picture, int number)
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
    void* interface_cast(QAccessible::InterfaceType type) override;

    QVariant currentValue() const override { return number_now().now; }
    void setCurrentValue(const QVariant& value) override;
    QVariant maximumValue() const override { return number_now().most; }
    QVariant minimumValue() const override { return number_now().least; }
    QVariant minimumStepSize() const override { return 1; }

    QStringList actionNames() const override;
    void doAction(const QString& action) override;
    QStringList keyBindingsForAction(const QString&) const override { return {}; }

private:
    AccessibleNumber number_now() const { return now().number.value_or(AccessibleNumber()); }

    AccessiblePart now() const { return isValid() ? picture_.part(number_) : AccessiblePart(); }

    QPointer<QObject> owner_;
    AccessiblePicture& picture_;
    int number_;
};

/// Adds the parts of a widget to its accessible children, after its child widgets. `Base` is QAccessibleWidget, which
/// this folder must not depend on; `Widget` is an AccessiblePicture.
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
    /// Search the parts first, because they are painted in front of the widget.
    QAccessibleInterface* childAt(int x, int y) const override {
        const int number = picture_.part_at(QPoint(x, y) - Base::rect().topLeft());
        return number >= 0 ? part(number) : Base::childAt(x, y);
    }

private:
    /// Creates the interface of a part on request, as there may be thousands.
    QAccessibleInterface* part(int number) const {
        if (number < 0 || number >= picture_.part_count()) return nullptr;
        for (auto next = static_cast<int>(parts_.size()); next <= number; ++next)
            parts_.push_back(QAccessible::registerAccessibleInterface(new PartInterface(owner_, picture_, next)));
        return QAccessible::accessibleInterface(parts_[static_cast<std::size_t>(number)]);
    }

    QObject* owner_;
    AccessiblePicture& picture_;
    mutable std::vector<QAccessible::Id> parts_;
};

}  // namespace divisi::model
