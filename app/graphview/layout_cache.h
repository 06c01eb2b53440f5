// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <cstddef>
#include <list>
#include <memory>
#include <vector>

#include "app/graphview/layout.h"

namespace divisi::graphview {

/// A layout that several may show; it never changes.
using LayoutPtr = std::shared_ptr<const Layout>;

/// What a layout follows from: the structure of the model, and which of the scopes that show are open.
QByteArray layout_key(const model::LoadedModel& model, const std::vector<bool>& open);

/// The layouts that were shown last, by their keys. Keeps up to 32 of them, with at most a million blocks and edges
/// in all (about 70 MB), but always the newest.
class LayoutCache {
public:
    /// Null where there is none.
    LayoutPtr find(const QByteArray& key);
    void keep(const QByteArray& key, LayoutPtr layout);
    std::size_t size() const { return entries_.size(); }

private:
    struct Entry {
        QByteArray key;
        LayoutPtr layout;
    };
    std::list<Entry> entries_;  ///< the last shown first
    std::size_t parts_ = 0;     ///< blocks and edges of all
};

}  // namespace divisi::graphview
